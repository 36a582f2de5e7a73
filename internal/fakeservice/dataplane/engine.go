package dataplane

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
)

// engine is an engine that runs on a machine and has data of its own. How it is configured,
// passwords included, is the only thing in which the engines differ.
type engine interface {
	// Restart stops the engine and starts it with the same data.
	Restart(ctx context.Context) error
	// Reset takes the data away and starts the engine without any.
	Reset(ctx context.Context) error
	// Backup copies the data to a folder and returns its size. Restore replaces the data by
	// such a copy.
	Backup(ctx context.Context, folder string) (int64, error)
	Restore(ctx context.Context, folder string) error
	// Close stops the engine. Remove takes its data away, too.
	Close() error
	Remove() error
}

var (
	_ engine = (*postgres.Cluster)(nil)
	_ engine = (*redis.Server)(nil)
	_ engine = (*nats.Server)(nil)
)

// namedEngine is an engine with the name that the service has for it.
type namedEngine struct {
	name string
	engine
}

// engines returns the engines that run on the machine. Postgres is the last, because auth
// and apps reconnect after it has been replaced. The turn is held.
func (m *machine) engines() []namedEngine {
	var all []namedEngine
	if m.redis != nil {
		all = append(all, namedEngine{core.EngineRedis, m.redis})
	}
	if m.nats != nil {
		all = append(all, namedEngine{core.EngineNATS, m.nats})
	}
	if m.postgres != nil {
		all = append(all, namedEngine{core.EnginePostgres, m.postgres})
	}
	return all
}
