package core

import (
	"context"
	"maps"
	"slices"
)

// Names of the engines in the API and the data planes.
const (
	EnginePostgres = "postgres"
	EngineRedis    = "redis"
	EngineCouchDB  = "couchdb"
	EngineNATS     = "nats"
	EngineApps     = "apps"
	EngineAuth     = "auth"
)

// Plan is a plan that instances can have. A plan with a price above zero is paid and
// needs a checkout.
type Plan struct {
	ID                  string  `json:"id"`
	Name                string  `json:"name"`
	PriceCents          int     `json:"price_cents"`
	Currency            string  `json:"currency"`
	CPU                 float64 `json:"cpu"`
	MemoryMB            int     `json:"memory_mb"`
	DiskGB              int     `json:"disk_gb"`
	PostgresConnections int     `json:"postgres_connections"`
}

// EngineInfo is the entry of an engine in the plan list. Port is nil for an engine
// without a port.
type EngineInfo struct {
	FloorMB  int    `json:"floor_mb"`
	Port     *int   `json:"port"`
	Category string `json:"category"`
	Licence  string `json:"licence"`
}

// Location is a location for instances.
type Location struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Country string `json:"country"`
}

// Catalog has the available plans, engines and locations.
type Catalog struct {
	Plans     []Plan
	Engines   map[string]EngineInfo
	Locations []Location
}

// seedCatalog returns the fake's catalog. The floors of postgres, apps and auth together
// fit into the free plan and leave 256 MB. The floors of all six engines do not fit, so
// that tests reach the rule about budgets without a paid plan.
func seedCatalog() Catalog {
	port := func(n int) *int { return &n }
	return Catalog{
		Plans: []Plan{
			{ID: "free", Name: "Free", PriceCents: 0, Currency: "EUR", CPU: 1, MemoryMB: 1536, DiskGB: 10, PostgresConnections: 20},
			{ID: "small", Name: "Small", PriceCents: 900, Currency: "EUR", CPU: 1, MemoryMB: 2048, DiskGB: 25, PostgresConnections: 50},
			{ID: "medium", Name: "Medium", PriceCents: 1900, Currency: "EUR", CPU: 2, MemoryMB: 4096, DiskGB: 60, PostgresConnections: 100},
			{ID: "large", Name: "Large", PriceCents: 3900, Currency: "EUR", CPU: 4, MemoryMB: 8192, DiskGB: 120, PostgresConnections: 200},
			{ID: "xlarge", Name: "Extra large", PriceCents: 7900, Currency: "EUR", CPU: 8, MemoryMB: 16384, DiskGB: 240, PostgresConnections: 400},
		},
		Engines: map[string]EngineInfo{
			EnginePostgres: {FloorMB: 512, Port: port(5432), Category: "database", Licence: "PostgreSQL"},
			EngineRedis:    {FloorMB: 64, Port: port(6379), Category: "cache", Licence: "AGPL-3.0"},
			EngineCouchDB:  {FloorMB: 256, Port: port(6984), Category: "database", Licence: "Apache-2.0"},
			EngineNATS:     {FloorMB: 64, Port: port(4222), Category: "messaging", Licence: "Apache-2.0"},
			EngineApps:     {FloorMB: 512, Category: "runtime", Licence: "MIT"},
			EngineAuth:     {FloorMB: 256, Category: "identity", Licence: "MIT"},
		},
		Locations: []Location{
			{ID: "eu-central", Name: "Frankfurt", Country: "DE"},
			{ID: "eu-north", Name: "Helsinki", Country: "FI"},
			{ID: "us-east", Name: "Ashburn", Country: "US"},
			{ID: "us-west", Name: "Hillsboro", Country: "US"},
			{ID: "ap-southeast", Name: "Singapore", Country: "SG"},
		},
	}
}

func (c Catalog) clone() Catalog {
	return Catalog{Plans: slices.Clone(c.Plans), Engines: maps.Clone(c.Engines), Locations: slices.Clone(c.Locations)}
}

func (c Catalog) plan(id string) (Plan, bool) {
	at := slices.IndexFunc(c.Plans, func(p Plan) bool { return p.ID == id })
	if at < 0 {
		return Plan{}, false
	}
	return c.Plans[at], true
}

func (c Catalog) hasLocation(id string) bool {
	return slices.ContainsFunc(c.Locations, func(l Location) bool { return l.ID == id })
}

// checkEngines checks a complete set of engines against a plan. budgets has the memory of
// each engine by name, including the floor of each engine for which the request has no
// budget.
func (c Catalog) checkEngines(plan Plan, budgets map[string]int) error {
	if _, auth := budgets[EngineAuth]; auth {
		for _, needed := range []string{EnginePostgres, EngineApps} {
			if _, on := budgets[needed]; !on {
				return invalid("engines.auth", "the auth engine needs the postgres and apps engines on the same instance")
			}
		}
	}
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(budgets)) {
		info, ok := c.Engines[name]
		if !ok {
			return invalid("engines."+name, "there is no such engine")
		}
		if budgets[name] < info.FloorMB {
			return invalid("engines."+name+".memory_mb", "%d is under the engine's floor of %d", budgets[name], info.FloorMB)
		}
		sum += budgets[name]
	}
	if sum > plan.MemoryMB {
		return invalid("engines", "the budgets come to %d MB together and the plan %q has %d MB", sum, plan.ID, plan.MemoryMB)
	}
	return nil
}

// PlanList has the available plans and engines, as the API shows them.
type PlanList struct {
	Plans   []Plan                `json:"plans"`
	Engines map[string]EngineInfo `json:"engines"`
}

// Plans lists the plans and the engines.
func (s *Service) Plans(ctx context.Context) (PlanList, error) {
	return look(ctx, s, func(st *state) (PlanList, error) {
		offer := st.Catalog.clone()
		return PlanList{offer.Plans, offer.Engines}, nil
	})
}

// LocationList has the available locations, as the API shows them.
type LocationList struct {
	Locations []Location `json:"locations"`
}

// Locations lists the locations.
func (s *Service) Locations(ctx context.Context) (LocationList, error) {
	return look(ctx, s, func(st *state) (LocationList, error) { return LocationList{st.Catalog.clone().Locations}, nil })
}
