package dataplane

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// applyPostgres brings the machine's Postgres to its desired state. The caller must hold
// the turn.
func (p *Plane) applyPostgres(ctx context.Context, m *machine, wanted core.DesiredMachine, allowlist []netip.Prefix) (err error) {
	settings := postgres.Settings{
		OwnerPassword:    wanted.Credentials.PostgresOwner,
		ReadOnlyPassword: wanted.Credentials.PostgresReadOnly,
		Connections:      wanted.Limits.PostgresConnections,
		Allowlist:        allowlist,
		Host:             m.inside, Ports: m.postgresPorts,
	}
	if cluster := m.postgres(); cluster != nil {
		return cluster.Configure(ctx, settings)
	}
	if settings.Certificate, settings.Key, err = p.certificate(m, wanted); err != nil {
		return err
	}
	cluster, err := p.postgres.NewCluster(ctx, m.id, settings)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.data[core.EnginePostgres], m.servers[core.EnginePostgres] = true, cluster
	m.postgresPorts = postgres.Ports{Direct: cluster.DirectPort(), Pooled: cluster.PooledPort(), Inside: cluster.InsidePort()}
	return nil
}

// certificate issues a certificate for the machine's outside host and for its inside
// address.
func (p *Plane) certificate(m *machine, wanted core.DesiredMachine) (certificate, key string, err error) {
	if !p.public.Shared() {
		return wanted.CA.Issue(m.inside)
	}
	return wanted.CA.Issue(m.endpoints.Host, m.inside)
}

// cluster waits for the turn at a machine and returns its Postgres.
func (p *Plane) cluster(ctx context.Context, instanceID string) (*postgres.Cluster, func(), error) {
	m, leave, err := p.enterByID(ctx, instanceID)
	if err != nil {
		return nil, nil, err
	}
	cluster := m.postgres()
	if cluster == nil {
		leave()
		return nil, nil, &core.Failure{Code: "engine_off", Detail: "the instance runs no PostgreSQL"}
	}
	return cluster, leave, nil
}

// Databases lists the existing databases and the service's extensions in them.
func (p *Plane) Databases(ctx context.Context, instanceID string) (_ []core.Database, _ []core.Extension, err error) {
	defer rescue.Error(p.log, "list databases", &err)
	cluster, leave, err := p.cluster(ctx, instanceID)
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	names, err := cluster.Databases(ctx)
	if err != nil {
		return nil, nil, failure(err)
	}
	var databases []core.Database
	var extensions []core.Extension
	for _, name := range names {
		databases = append(databases, core.Database{Name: name})
		versions, err := cluster.Extensions(ctx, name)
		if err != nil {
			return nil, nil, failure(err)
		}
		for _, extension := range []string{"pgvector", "pg_trgm", "pgcrypto"} {
			if version, on := versions[extensionName(extension)]; on {
				extensions = append(extensions, core.Extension{Name: extension, Database: name, Version: version})
			}
		}
	}
	return databases, extensions, nil
}

// CreateDatabase creates a database. It succeeds if the database exists.
func (p *Plane) CreateDatabase(ctx context.Context, instanceID, name string) (err error) {
	defer rescue.Error(p.log, "create a database", &err)
	cluster, leave, err := p.cluster(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return failure(cluster.CreateDatabase(ctx, name))
}

// DropDatabase drops a database and ends the sessions that use it.
func (p *Plane) DropDatabase(ctx context.Context, instanceID, name string) (err error) {
	defer rescue.Error(p.log, "drop a database", &err)
	cluster, leave, err := p.cluster(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return failure(cluster.DropDatabase(ctx, name))
}

// SetExtension turns an extension on.
func (p *Plane) SetExtension(ctx context.Context, instanceID, database, name string) (_ string, err error) {
	defer rescue.Error(p.log, "set an extension", &err)
	cluster, leave, err := p.cluster(ctx, instanceID)
	if err != nil {
		return "", err
	}
	defer leave()
	version, err := cluster.SetExtension(ctx, database, extensionName(name))
	return version, failure(err)
}

// DropExtension turns an extension off.
func (p *Plane) DropExtension(ctx context.Context, instanceID, database, name string) (err error) {
	defer rescue.Error(p.log, "drop an extension", &err)
	cluster, leave, err := p.cluster(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return failure(cluster.DropExtension(ctx, database, extensionName(name)))
}

// extensionName returns PostgreSQL's name of an extension of the service.
func extensionName(name string) string {
	if name == "pgvector" {
		return "vector"
	}
	return name
}

// Query runs the console's statements. In the mode ro it uses the read-only role, so that
// Postgres itself refuses writes.
func (p *Plane) Query(ctx context.Context, q core.Query) (_ core.QueryResult, err error) {
	defer rescue.Error(p.log, "run a statement", &err)
	p.mu.Lock()
	var cluster *postgres.Cluster
	if m := p.machines[q.Instance.ID]; m != nil {
		cluster = m.postgres()
	}
	p.mu.Unlock()
	if cluster == nil {
		return core.QueryResult{}, core.UnavailableNow("the instance runs no PostgreSQL")
	}
	role := postgres.ReadOnlyRole
	if q.Mode == "rw" {
		role = postgres.OwnerRole
	}
	result, err := cluster.Query(ctx, role, q.Database, q.SQL)
	if err != nil {
		return core.QueryResult{}, refusal(err)
	}
	return core.QueryResult(result), nil
}

// SQLSTATEs about the server and not about the statement.
const (
	shuttingDown       = "57P" // a class: shutting down, crashed, starting up
	tooManyConnections = "53300"
	tooLarge           = "54000"
	noSuchDatabase     = "3D000"
)

// refusal distinguishes a refused statement from an unavailable Postgres.
func refusal(err error) error {
	message, state, isSQL := postgres.IsSQLError(err)
	switch {
	case errors.Is(err, postgres.ErrTooLarge):
		return &core.SQLError{Message: postgres.ErrTooLarge.Error(), SQLState: tooLarge}
	case isSQL && state == tooManyConnections:
		return core.UnavailableNow("all connections of the plan (postgres_connections) are in use")
	case isSQL && state == noSuchDatabase:
		return &core.SQLError{Message: message, SQLState: state}
	case isSQL && !errors.Is(err, postgres.ErrUnreachable) && !strings.HasPrefix(state, shuttingDown):
		return &core.SQLError{Message: message, SQLState: state}
	}
	return core.UnavailableNow("PostgreSQL takes no statements now; it may be restarting")
}

// failure converts an error of the engine to a core.Failure with the code for the job.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if missing := (*postgres.MissingExtensionError)(nil); errors.As(err, &missing) {
		return &core.Failure{Code: "extension_unavailable", Detail: missing.Error()}
	}
	if message, state, isSQL := postgres.IsSQLError(err); isSQL {
		return &core.Failure{Code: "sql_error", Detail: fmt.Sprintf("%s (SQLSTATE %s)", message, state)}
	}
	return err
}
