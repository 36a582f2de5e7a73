package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// fillIn sets the defaults of omitted fields.
func (s *Setup) fillIn() {
	one, ten, twenty := 1.0, 10, 20
	for i := range s.file.Plans {
		p := &s.file.Plans[i]
		p.Name, p.Currency = cmp.Or(p.Name, p.ID), cmp.Or(p.Currency, "EUR")
		p.CPU, p.DiskGB, p.PostgresConnections = cmp.Or(p.CPU, &one), cmp.Or(p.DiskGB, &ten), cmp.Or(p.PostgresConnections, &twenty)
	}
	for i := range s.file.Locations {
		l := &s.file.Locations[i]
		l.Name = cmp.Or(l.Name, l.ID)
	}
	for i := range s.file.Instances {
		in := &s.file.Instances[i]
		in.Name, in.ConsoleMode = cmp.Or(in.Name, in.ID), cmp.Or(in.ConsoleMode, "off")
		for k := range in.Extensions {
			in.Extensions[k].Database = cmp.Or(in.Extensions[k].Database, "main")
		}
		for k := range in.Apps {
			a := &in.Apps[k]
			var given core.App
			a.Apply(&given)
			a.AppChange = core.SettingsOf(&given) // an empty one is omitted
		}
	}
	for i := range s.file.Webhooks {
		if w := &s.file.Webhooks[i]; sent(w.Secret) == "" {
			w.Secret = nil
		}
	}
}

// checkCatalogue checks the catalog.
func (s Setup) checkCatalogue() error {
	seen := map[string]bool{}
	for i, p := range s.file.Plans {
		path := fmt.Sprintf("plans[%d]", i)
		switch {
		case p.ID == "":
			return fmt.Errorf("%s.id: it is required", path)
		case seen["plan "+p.ID]:
			return fmt.Errorf("%s.id: there is another plan %q", path, p.ID)
		case p.PriceCents < 0:
			return fmt.Errorf("%s.price_cents: it must not be negative", path)
		case p.MemoryMB <= 0:
			return fmt.Errorf("%s.memory_mb: it is required, and over 0", path)
		case *p.CPU <= 0:
			return fmt.Errorf("%s.cpu: it must be over 0", path)
		case *p.DiskGB <= 0:
			return fmt.Errorf("%s.disk_gb: it must be over 0", path)
		case *p.PostgresConnections < 10:
			return fmt.Errorf("%s.postgres_connections: it must be 10 or more", path)
		}
		seen["plan "+p.ID] = true
	}
	for i, l := range s.file.Locations {
		path := fmt.Sprintf("locations[%d].id", i)
		switch {
		case l.ID == "":
			return fmt.Errorf("%s: it is required", path)
		case seen["location "+l.ID]:
			return fmt.Errorf("%s: there is another location %q", path, l.ID)
		}
		seen["location "+l.ID] = true
	}
	if s.file.Plans != nil && len(s.file.Plans) == 0 {
		return fmt.Errorf("plans: there must be one; leave it out to have the usual ones")
	}
	if s.file.Locations != nil && len(s.file.Locations) == 0 {
		return fmt.Errorf("locations: there must be one; leave it out to have the usual ones")
	}
	for _, name := range slices.Sorted(maps.Keys(s.file.Durations)) {
		if core.CheckDuration(name, 0) != nil {
			return fmt.Errorf("durations.%s: there is no such operation", name)
		}
	}
	return nil
}

// applyCatalogue sets the catalog and the durations.
func (s Setup) applyCatalogue(service *core.Service) error {
	var wrong error
	service.EditCatalog(func(c *core.Catalog) {
		if s.file.Plans != nil {
			c.Plans = nil
		}
		for _, p := range s.file.Plans {
			c.Plans = append(c.Plans, core.Plan{
				ID: p.ID, Name: p.Name, PriceCents: p.PriceCents, Currency: p.Currency, CPU: *p.CPU,
				MemoryMB: p.MemoryMB, DiskGB: *p.DiskGB, PostgresConnections: *p.PostgresConnections,
			})
		}
		if s.file.Locations != nil {
			c.Locations = slices.Clone(s.file.Locations)
		}
		for _, name := range slices.Sorted(maps.Keys(s.file.Engines)) {
			info, known := c.Engines[name]
			if !known {
				wrong = fmt.Errorf("engines.%s: there is no such engine", name)
				return
			}
			if info.FloorMB = s.file.Engines[name].FloorMB; info.FloorMB <= 0 {
				wrong = fmt.Errorf("engines.%s.floor_mb: it is required, and over 0", name)
				return
			}
			c.Engines[name] = info
		}
	})
	for name, length := range s.file.Durations {
		service.SetDuration(name, time.Duration(length))
	}
	return wrong
}
