package client

import (
	"context"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A Plan is a size of an instance with its price (openapi.yaml#/components/schemas/Plan).
type Plan struct {
	ID                  string  `json:"id"`
	Name                string  `json:"name"`
	PriceCents          int64   `json:"price_cents"` // above 0: paid, requires a checkout
	Currency            string  `json:"currency"`
	CPU                 float64 `json:"cpu"`
	MemoryMB            int64   `json:"memory_mb"`
	DiskGB              int64   `json:"disk_gb"`
	PostgresConnections int64   `json:"postgres_connections"`
}

// Identifier returns the plan's id.
func (p Plan) Identifier() string { return p.ID }

// An EngineKind describes an engine in the plan list.
type EngineKind struct {
	FloorMB  int64  `json:"floor_mb"`
	Port     int64  `json:"port"`
	Category string `json:"category"`
	Licence  string `json:"licence"`
}

// Plans contains the available plans and engines.
type Plans struct {
	Plans   []Plan                `json:"plans"`
	Engines map[string]EngineKind `json:"engines"`
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
		if err == nil && plans.Plans == nil && plans.Engines == nil {
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
