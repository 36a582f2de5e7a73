package dataplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	natsgo "github.com/nats-io/nats.go"
	goredis "github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// verifyTime is the time limit for the verification of one engine or app.
const verifyTime = 10 * time.Second

// Verify checks the machine as its clients use it.
func (p *Plane) Verify(ctx context.Context, instanceID string) (found []core.Finding, err error) {
	defer rescue.Error(p.log, "verify a machine", &err)
	ctx, cancel := p.during(ctx)
	defer cancel()
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return nil, err
	}
	defer leave()
	for _, engine := range m.broken() {
		found = append(found, core.Finding{Engine: engine, Reason: "it could not be started"})
	}
	for _, check := range m.checks(wanted) {
		if err := within(ctx, verifyTime, check.run); err != nil {
			found = append(found, core.Finding{Engine: check.engine, Reason: err.Error()})
		}
	}
	err = p.eachApp(m, wanted, func(running *appruntime.App, a core.App) error {
		ctx, cancel := context.WithTimeout(ctx, verifyTime)
		defer cancel()
		// An app that is starting gets the time to answer.
		_, _ = running.Settled(ctx)
		if status := running.Probe(ctx); status != http.StatusOK {
			found = append(found, core.Finding{App: a.Name, Reason: core.UnhealthyStatus(status)})
		}
		return nil
	})
	return found, errors.Join(err, ctx.Err())
}

// engineCheck is a request to an engine with the credentials of its clients. Its error
// contains no secret.
type engineCheck struct {
	engine string
	run    func(context.Context) error
}

// checks returns the checks of the engines that run on the machine.
func (m *machine) checks(wanted core.DesiredMachine) []engineCheck {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(wanted.CA.Certificate))
	secure := &tls.Config{RootCAs: roots, ServerName: m.endpoints.Host, MinVersion: tls.VersionTLS12}
	passwords := wanted.Credentials
	var all []engineCheck
	for _, e := range []struct {
		name, password string
		check          func(context.Context, dial, *tls.Config, string) error
	}{
		{core.EnginePostgres, passwords.PostgresOwner, checkPostgres},
		{core.EngineRedis, passwords.Redis, checkRedis},
		{core.EngineNATS, passwords.NATS, checkNATS},
		{core.EngineCouchDB, passwords.CouchDB, checkCouchDB},
	} {
		if running := m.servers[e.name]; running != nil {
			all = append(all, engineCheck{e.name, func(ctx context.Context) error { return e.check(ctx, running.Dial, secure, e.password) }})
		}
	}
	if cluster := m.postgres(); cluster != nil && cluster.PooledPort() != 0 {
		all = append(all, engineCheck{core.EnginePostgres, func(ctx context.Context) error {
			if err := checkPostgres(ctx, cluster.DialPooled, secure, passwords.PostgresOwner); err != nil {
				return fmt.Errorf("the pooled port: %w", err)
			}
			return nil
		}})
	}
	if m.auth != nil {
		all = append(all, engineCheck{core.EngineAuth, m.auth.Ping})
	}
	return all
}

// dial connects to an engine as a client in the allowlist does.
type dial func(context.Context) (net.Conn, error)

// Each of the following functions signs in to an engine as its clients do, and makes one
// request.

func checkPostgres(ctx context.Context, dial dial, secure *tls.Config, password string) error {
	config, err := pgconn.ParseConfig("sslmode=disable")
	if err != nil {
		return err
	}
	// The parser reads libpq's variables, which belong to the user who starts the fake.
	config.Host, config.Port = secure.ServerName, postgres.DirectPort
	config.User, config.Password, config.Database = postgres.OwnerRole, password, postgres.DefaultDatabase
	config.TLSConfig, config.Fallbacks, config.ValidateConnect, config.RuntimeParams = secure, nil, nil, nil
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // its answer counts, not how it ends
	_, err = conn.Exec(ctx, "select 1").ReadAll()
	return err
}

func checkRedis(ctx context.Context, dial dial, secure *tls.Config, password string) error {
	client := goredis.NewClient(&goredis.Options{
		Password: password, MaxRetries: -1, PoolSize: 1, DisableIdentity: true,
		Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dial(ctx)
			if err != nil {
				return nil, err
			}
			return tls.Client(conn, secure), nil
		},
	})
	defer func() { _ = client.Close() }()
	return client.Ping(ctx).Err()
}

// customDialer implements nats.CustomDialer.
type customDialer struct {
	ctx  context.Context
	dial dial
}

// Dial connects to the server that the dialer is for.
func (d customDialer) Dial(_, _ string) (net.Conn, error) { return d.dial(d.ctx) }

func checkNATS(ctx context.Context, dial dial, secure *tls.Config, password string) error {
	conn, err := natsgo.Connect("tls://"+secure.ServerName, natsgo.UserInfo(nats.Customer, password), natsgo.Secure(secure),
		natsgo.NoReconnect(), natsgo.Timeout(verifyTime), natsgo.SetCustomDialer(customDialer{ctx, dial}))
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.FlushWithContext(ctx)
}

func checkCouchDB(ctx context.Context, dial dial, secure *tls.Config, password string) error {
	client := &http.Client{Transport: &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		TLSClientConfig: secure, DisableKeepAlives: true,
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+secure.ServerName+"/", nil)
	if err != nil {
		return err
	}
	request.SetBasicAuth(couchdb.Customer, password)
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("CouchDB answers %d", response.StatusCode)
	}
	return nil
}

// within runs a function with a time limit.
func within(ctx context.Context, limit time.Duration, run func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return run(ctx)
}
