package dataplane

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
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

// applyEngines brings the machine's engines to their desired state. The caller must hold
// the turn.
func (p *Plane) applyEngines(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	allowlist, err := allowlistOf(wanted)
	for _, e := range []struct {
		name  string
		apply func(context.Context, *machine, core.DesiredMachine, []netip.Prefix) error
	}{
		{core.EnginePostgres, p.applyPostgres}, {core.EngineRedis, p.applyRedis}, {core.EngineNATS, p.applyNATS}, {core.EngineCouchDB, p.applyCouchDB},
	} {
		switch {
		case err != nil:
			return err
		case !wanted.HasEngine(e.name):
			err = p.removeServer(m, e.name)
		default:
			err = e.apply(ctx, m, wanted, allowlist)
		}
	}
	return err
}

// server is an engine with one public port and settings of type S.
type server[S any] interface {
	engine
	Port() int
	Configure(ctx context.Context, settings S) error
}

// applyServer brings an engine with one public port to its desired state. It calls open if
// the engine does not run. The caller must hold the turn.
func applyServer[S any](ctx context.Context, p *Plane, m *machine, wanted core.DesiredMachine, name string, settings S, open func(certificate, key string) (server[S], error)) error {
	if running := m.servers[name]; running != nil {
		return running.(server[S]).Configure(ctx, settings)
	}
	certificate, key, err := p.certificate(m, wanted)
	if err != nil {
		return err
	}
	started, err := open(certificate, key)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.data[name], m.servers[name], m.ports[name] = true, started, started.Port()
	return nil
}

// removeServer removes an engine with its data, even if it does not run. The caller must
// hold the turn.
func (p *Plane) removeServer(m *machine, name string) error {
	if err := p.forgetData(m, name); err != nil {
		return err
	}
	p.mu.Lock()
	running := m.servers[name]
	delete(m.servers, name)
	p.mu.Unlock()
	if running == nil {
		return workdir.Discard(p.dataOf(m.id, name))
	}
	return running.Remove()
}

// dataFolders has the folders of the engines' data, by the engines' names.
var dataFolders = map[string]string{
	core.EnginePostgres: clustersFolder, core.EngineRedis: redisFolder, core.EngineNATS: natsFolder, core.EngineCouchDB: couchdbFolder,
}

// dataOf returns the folder of an engine of a machine.
func (p *Plane) dataOf(instanceID, engine string) string {
	return filepath.Join(p.folder, dataFolders[engine], instanceID)
}

// sandboxed prepares the folder of an engine that runs as a different user, and returns the
// folder for its sockets, or "".
func (p *Plane) sandboxed(m *machine, engine string) (run string, err error) {
	if p.stays {
		run = filepath.Join(p.sockets.Path(), dataFolders[engine]+"-"+m.id)
	}
	return run, os.MkdirAll(filepath.Dir(p.dataOf(m.id, engine)), workdir.Passable())
}

// postgres returns the machine's Postgres, or nil if it does not run.
func (m *machine) postgres() *postgres.Cluster {
	cluster, _ := m.servers[core.EnginePostgres].(*postgres.Cluster)
	return cluster
}

// port returns the public port of a running engine with one port, or 0.
func (m *machine) port(engine string) int {
	if m.servers[engine] == nil {
		return 0
	}
	return m.ports[engine]
}

// namedEngine is an engine with its name in the API.
type namedEngine struct {
	name string
	engine
}

// broken returns the engines that have data and could not be started, sorted. The caller
// must hold the turn.
func (m *machine) broken() []string {
	names := slices.Sorted(maps.Keys(m.data))
	return slices.DeleteFunc(names, func(name string) bool { return m.servers[name] != nil })
}

// engines returns the engines that run on the machine. Postgres is the last, because auth
// and apps reconnect after it has been replaced. The caller must hold the turn, or the
// Plane's lock.
func (m *machine) engines() []namedEngine {
	var all []namedEngine
	for _, name := range []string{core.EngineRedis, core.EngineNATS, core.EngineCouchDB, core.EnginePostgres} {
		if running := m.servers[name]; running != nil {
			all = append(all, namedEngine{name, running})
		}
	}
	return all
}
