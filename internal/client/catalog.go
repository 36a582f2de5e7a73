package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A Plan is a size of an instance with its price (openapi.yaml#/components/schemas/Plan).
type Plan struct {
	ID                  string `json:"id"`
	Name                string `json:"name"`
	PriceCents          Amount `json:"price_cents"` // above 0: paid, requires a checkout
	Currency            string `json:"currency"`
	CPU                 Figure `json:"cpu"`
	MemoryMB            Whole  `json:"memory_mb"`
	DiskGB              Figure `json:"disk_gb"`
	PostgresConnections Count  `json:"postgres_connections"`
}

// Identifier returns the plan's id.
func (p Plan) Identifier() string { return p.ID }

// An EngineKind describes an engine in the plan list.
type EngineKind struct {
	FloorMB  Whole  `json:"floor_mb"`
	Port     Count  `json:"port"`
	Category string `json:"category"`
	Licence  string `json:"licence"`
}

// Plans contains the available plans and engines.
type Plans struct {
	Plans   []Plan                `json:"plans"`
	Engines map[string]EngineKind `json:"engines"`
	// Unreadable has the reason for each plan or engine that cannot be read and is left out.
	Unreadable []string `json:"-"`
}

// UnmarshalJSON leaves out what cannot be read.
func (p *Plans) UnmarshalJSON(raw []byte) error {
	var fields struct {
		Plans   json.RawMessage            `json:"plans"`
		Engines map[string]json.RawMessage `json:"engines"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*p = Plans{}
	if fields.Plans != nil {
		plans, err := decodePage[Plan](fmt.Appendf(nil, `{"plans": %s}`, fields.Plans), "plans")
		if err != nil {
			return err
		}
		p.Plans, p.Unreadable = plans.items, plans.unreadable
	}
	for _, name := range slices.Sorted(maps.Keys(fields.Engines)) {
		var kind EngineKind
		if err := json.Unmarshal(fields.Engines[name], &kind); err != nil {
			p.Unreadable = append(p.Unreadable, "engines."+name+": "+transport.FieldText(err))
			continue
		}
		if p.Engines == nil {
			p.Engines = map[string]EngineKind{}
		}
		p.Engines[name] = kind
	}
	return nil
}

// Partial returns a *PartialListError if plans or engines are left out, and nil otherwise.
func (p Plans) Partial() error {
	if p.Unreadable == nil {
		return nil
	}
	return &PartialListError{Path: []string{"plans"}, Unreadable: p.Unreadable}
}

// Plan finds a plan by its id.
func (p Plans) Plan(id string) (Plan, bool) {
	for _, plan := range p.Plans {
		if plan.ID == id {
			return plan, true
		}
	}
	return Plan{}, false
}

// A Location is a region that instances can be in.
type Location struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
}

// Identifier returns the location's id.
func (l Location) Identifier() string { return l.ID }

// Plans reads the plan list once per client.
func (c *Client) Plans(ctx context.Context) (Plans, error) {
	return c.reads.plans.get(ctx, "", always, func(ctx context.Context) (Plans, error) {
		plans, err := get[Plans](ctx, c, "plans")
		if err == nil && plans.Plans == nil && plans.Engines == nil && plans.Unreadable == nil {
			err = c.sender.Foreign(transport.Request{Method: http.MethodGet, Path: []string{"plans"}}, "the answer has no plans")
		}
		return plans, err
	})
}

// Locations reads the locations once per client.
func (c *Client) Locations(ctx context.Context) ([]Location, error) {
	return c.reads.locations.get(ctx, "", always, func(ctx context.Context) ([]Location, error) {
		return list[Location](ctx, c, "locations", "locations")
	})
}
