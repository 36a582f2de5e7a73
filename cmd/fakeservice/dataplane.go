package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
)

// Values of --data-plane.
const (
	planeAuto = "auto"
	planeOn   = "on"
	planeOff  = "off"
)

// engines is the part of the fake that runs for real.
type engines struct {
	// plane is nil if the fake only has records. another creates the data planes of forks.
	plane   fakeservice.DataPlane
	another func() (fakeservice.DataPlane, error)
	// querier is nil if the plane runs SQL. Otherwise it answers with the reason why no SQL
	// runs.
	querier fakeservice.Querier
	// text informs the person who starts the fake.
	text string
}

// locate finds PostgreSQL's programs in a folder, or in the usual places.
type locate func(ctx context.Context, folder string) (postgres.Binaries, error)

// startEngines finds the programs that engines need. If they are missing, the fake runs
// without engines, unless the flags ask for them.
func startEngines(ctx context.Context, s settings, state state, find locate, log *slog.Logger) (engines, error) {
	if s.dataPlane == planeOff {
		return withoutEngines(state, "it is switched off by --data-plane=off")
	}
	programs, err := find(ctx, s.postgresBin)
	asked := s.dataPlane == planeOn || s.postgresBin != ""
	if missing := (*postgres.MissingError)(nil); errors.As(err, &missing) && !asked {
		return withoutEngines(state, missing.Error())
	}
	if err != nil {
		return engines{}, fmt.Errorf("data plane: %w", err)
	}
	server, store, err := locateRedis(redis.Locate(ctx))
	if err != nil {
		return engines{}, fmt.Errorf("data plane: %w", err)
	}
	documents, err := couchdb.Locate(ctx, couchDBFolder(s.couchdb))
	if err != nil && s.couchdb != "" {
		return engines{}, fmt.Errorf("--couchdb-modules: %w", err)
	}
	documents, couch, err := locateCouchDB(documents, err)
	if err != nil {
		return engines{}, fmt.Errorf("data plane: %w", err)
	}
	var caches appruntime.GoCaches
	if s.goCaches && len(s.repos) > 0 {
		if caches, err = appruntime.FindGoCaches(ctx, os.Environ()); err != nil {
			return engines{}, fmt.Errorf("data plane: %w; --go-caches=false does without", err)
		}
	}
	options := dataplane.Options{
		Public:   addresses(s),
		Postgres: programs, Redis: server, CouchDB: documents, StateFolder: s.tempDir, Logger: log,
		Repositories: s.repos, Environment: os.Environ(), Go: caches, Patience: patience(s.speed),
	}
	kept := options
	kept.Keep = state.below(machinesFolder)
	plane, err := dataplane.New(kept)
	if nameless := (*engineaccount.NamelessError)(nil); errors.As(err, &nameless) && !asked {
		return withoutEngines(state, nameless.Error())
	}
	if err != nil {
		return engines{}, fmt.Errorf("data plane: %w", err)
	}
	pooler := "without PgBouncer, so there is no pooled port (apt-get install pgbouncer)"
	if programs.PgBouncer != "" {
		pooler = "with PgBouncer for the pooled port"
	}
	code := "Apps are built from what --repo owner/repo=folder-or-URL names: nothing now."
	if len(s.repos) > 0 {
		code = "Apps are built from " + s.repos.String() + "."
	}
	another := func() (fakeservice.DataPlane, error) { return dataplane.New(options) }
	return engines{plane: plane, another: another, text: fmt.Sprintf("What it provisions is real: PostgreSQL %d from %s,\n%s;\n%s;\n%s;\nNATS with JetStream.\n%s\n%s",
		programs.Version, filepath.Dir(programs.Postgres), pooler, store, couch, code, isolation(plane.Unsandboxed(), os.Geteuid() == 0))}, nil
}

// isolation says how apps, builds, PostgreSQL, Redis and CouchDB are isolated from the rest of the
// machine. why is nil if they run in a sandbox, and the reason otherwise.
func isolation(why error, root bool) string {
	switch {
	case why == nil:
		return "Apps, builds, PostgreSQL, Redis and CouchDB run in bubblewrap: they see their own files and processes, and share this machine's network, with its abstract sockets."
	case root:
		return "APPS, BUILDS, POSTGRESQL, REDIS AND COUCHDB ARE NOT ISOLATED: " + why.Error() + ".\n" +
			"They run as users of their own, and see whatever every user of this machine sees."
	default:
		return "APPS, BUILDS, POSTGRESQL, REDIS AND COUCHDB ARE NOT ISOLATED: " + why.Error() + ".\n" +
			"They run as the user who runs this program, and can read and change that user's files."
	}
}

// locateRedis says how the redis engine runs. Without a redis-server, the engine is only a
// record, and the other engines still run.
func locateRedis(server redis.Program, err error) (redis.Program, string, error) {
	if missing := (*redis.MissingError)(nil); errors.As(err, &missing) {
		return redis.Program{}, "no Redis, which is a record alone: " + missing.Error(), nil
	}
	return server, fmt.Sprintf("Redis %d from %s", server.Version, filepath.Dir(server.Path)), err
}

// locateCouchDB says how the couchdb engine runs. Without Node.js or the npm packages, the
// engine is only a record, and the other engines still run.
func locateCouchDB(documents couchdb.Program, err error) (couchdb.Program, string, error) {
	if missing := (*couchdb.MissingError)(nil); errors.As(err, &missing) {
		return couchdb.Program{}, "no CouchDB, which is a record alone: " + missing.Error(), nil
	}
	return documents, fmt.Sprintf("CouchDB with Node.js %d from %s", documents.Version, filepath.Dir(documents.Node)), err
}

// couchDBFolder returns the folder with the npm packages of CouchDB. The default is next to
// this program, where make puts it.
func couchDBFolder(named string) string {
	if named != "" {
		return named
	}
	program, err := os.Executable()
	if err != nil {
		return "couchdb"
	}
	return filepath.Join(filepath.Dir(program), "couchdb")
}

// withoutEngines returns engines that only keep records, and that give the reason when more
// is asked for. It refuses a state that has the data of machines, because the records would
// change and the data would not.
func withoutEngines(s state, reason string) (engines, error) {
	machines, err := s.machines()
	if err != nil {
		return engines{}, err
	}
	if len(machines) > 0 {
		return engines{}, fmt.Errorf("%s has the data of %d machines, and this fake service runs no PostgreSQL: %s; run it with PostgreSQL, or begin with another --state folder",
			s.folder, len(machines), reason)
	}
	return engines{
		querier: core.NoDataPlane("this fake service runs no PostgreSQL: " + reason),
		text:    "It keeps records alone and runs no PostgreSQL, so SQL is answered with 503:\n" + reason + ".",
	}, nil
}
