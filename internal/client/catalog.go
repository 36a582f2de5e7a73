package client

import (
	"context"
	"sync"
)

// A Plan is a size of instance with its price (service.md, GET /plans).
type Plan struct {
	ID                  string  `json:"id"`
	Name                string  `json:"name"`
	PriceCents          int64   `json:"price_cents"` // over 0: paid, by a checkout
	Currency            string  `json:"currency"`
	CPU                 float64 `json:"cpu"`
	MemoryMB            int64   `json:"memory_mb"`
	DiskGB              int64   `json:"disk_gb"`
	PostgresConnections int64   `json:"postgres_connections"`
}

// Identifier is the plan's id.
func (p Plan) Identifier() string { return p.ID }

// An EngineKind is an engine as the plan list describes it.
type EngineKind struct {
	FloorMB  int64  `json:"floor_mb"`
	Port     int64  `json:"port"`
	Category string `json:"category"`
	Licence  string `json:"licence"`
}

// Plans is the plan list with the kinds of engines.
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

// Identifier is the location's id.
func (l Location) Identifier() string { return l.ID }

// catalog is what is read once per process.
type catalog struct {
	plans     once[Plans]
	locations once[[]Location]
	// existing are the instances that were there before this process created
	// its first.
	existing once[[]Instance]
}

// Plans reads the plan list, once per client.
func (c *Client) Plans(ctx context.Context) (Plans, error) {
	return c.catalog.plans.get(ctx, func(ctx context.Context) (Plans, error) {
		return get[Plans](ctx, c, "plans")
	})
}

// Locations reads the locations, once per client.
func (c *Client) Locations(ctx context.Context) ([]Location, error) {
	return c.catalog.locations.get(ctx, func(ctx context.Context) ([]Location, error) {
		return list[Location](ctx, c, "locations", "locations")
	})
}

// once keeps the first success of a read. Callers share it; a failure is the
// asker's alone.
type once[T any] struct {
	mu    sync.Mutex
	known bool
	value T
}

func (o *once[T]) get(ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known {
		return o.value, nil
	}
	value, err := read(ctx)
	if err != nil {
		return value, err
	}
	o.value, o.known = value, true
	return value, nil
}
