package dataplane

import (
	"context"
	"maps"
	"net"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
)

// engine is an engine that runs on a machine and has its own data. The engines differ
// only in their configuration, including passwords.
type engine interface {
	// Restart stops the engine and starts it again with the same data.
	Restart(ctx context.Context) error
	// Reset deletes the data and starts the engine without data.
	Reset(ctx context.Context) error
	// Backup copies the data to a folder and returns its size. Restore replaces the data by
	// such a copy.
	Backup(ctx context.Context, folder string) (int64, error)
	Restore(ctx context.Context, folder string) error
	// Dial connects to the public port as a client in the allowlist does.
	Dial(ctx context.Context) (net.Conn, error)
	// Close stops the engine. Remove also deletes its data.
	Close() error
	Remove() error
}

var (
	_ engine = (*postgres.Cluster)(nil)
	_ engine = (*redis.Server)(nil)
	_ engine = (*nats.Server)(nil)
	_ engine = (*couchdb.Server)(nil)
)

// namedEngine is an engine with its name in the API.
type namedEngine struct {
	name string
	engine
}

// broken returns the engines that have data and could not be started, sorted. The caller
// must hold the turn.
func (m *machine) broken() []string {
	running := m.engines()
	var names []string
	for _, engine := range slices.Sorted(maps.Keys(m.data)) {
		if !slices.ContainsFunc(running, func(e namedEngine) bool { return e.name == engine }) {
			names = append(names, engine)
		}
	}
	return names
}

// engines returns the engines that run on the machine. Postgres is the last, because auth
// and apps reconnect after it has been replaced. The caller must hold the turn, or the Plane's lock.
func (m *machine) engines() []namedEngine {
	var all []namedEngine
	if m.redis != nil {
		all = append(all, namedEngine{core.EngineRedis, m.redis})
	}
	if m.nats != nil {
		all = append(all, namedEngine{core.EngineNATS, m.nats})
	}
	if m.couchdb != nil {
		all = append(all, namedEngine{core.EngineCouchDB, m.couchdb})
	}
	if m.postgres != nil {
		all = append(all, namedEngine{core.EnginePostgres, m.postgres})
	}
	return all
}
