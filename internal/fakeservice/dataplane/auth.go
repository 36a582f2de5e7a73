package dataplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/authengine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// authPort is the preferred port of auth engines.
const authPort = 9999

// applyAuth brings the machine's auth engine to its desired state. The caller must hold
// the turn.
func (p *Plane) applyAuth(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if !wanted.HasEngine(core.EngineAuth) {
		return p.dropAuth(ctx, m, wanted)
	}
	settings, err := p.authSettings(m, wanted)
	if err != nil {
		return err
	}
	if m.auth != nil {
		m.auth.Configure(settings)
		return nil
	}
	listener, err := p.public.Listen(ctx, m.inside, m.authPort, authPort)
	if err != nil {
		return fmt.Errorf("find an address for the auth engine: %w", err)
	}
	engine, err := authengine.Start(ctx, authengine.Options{
		Settings: settings, Logger: p.log, Listener: listener, Address: p.public.Of(listener),
		HashCost: p.hashCost,
		Notify:   func(e authengine.Event) { p.authTold(m.id, e) },
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.auth, m.authPort = engine, loopback.Port(listener.Addr())
	m.endpoints.AuthURL = engine.URL()
	return nil
}

func (p *Plane) authSettings(m *machine, wanted core.DesiredMachine) (authengine.Settings, error) {
	if m.postgres() == nil {
		return authengine.Settings{}, &core.Failure{Code: "engine_off", Detail: "the auth engine needs Postgres"}
	}
	database, err := p.insideURL(m, wanted)
	if err != nil {
		return authengine.Settings{}, err
	}
	engine := wanted.Engines[core.EngineAuth]
	return authengine.Settings{
		DSN:        database,
		SigningKey: wanted.Credentials.AuthSigningKey,
		AnonKey:    wanted.Credentials.AuthAnonKey,
		ServiceKey: wanted.Credentials.AuthServiceKey,
		SiteURL:    engine.SiteURL, RedirectURLs: engine.RedirectURLs,
	}, nil
}

// databaseURL returns the URL of the database for programs on the machine. It lacks the
// path of the CA's file, which differs for each of them.
func databaseURL(m *machine, wanted core.DesiredMachine) *url.URL {
	return &url.URL{
		Scheme:   "postgresql",
		User:     url.UserPassword(postgres.OwnerRole, wanted.Credentials.PostgresOwner),
		Host:     net.JoinHostPort(m.inside, strconv.Itoa(m.postgres().InsidePort())),
		Path:     "/" + postgres.DefaultDatabase,
		RawQuery: "sslmode=verify-full",
	}
}

// insideURL returns databaseURL for this process, with the CA in a file.
func (p *Plane) insideURL(m *machine, wanted core.DesiredMachine) (string, error) {
	file := p.authority(m.id)
	if err := os.WriteFile(file, []byte(wanted.CA.Certificate), 0o600); err != nil {
		return "", err
	}
	database := databaseURL(m, wanted)
	query := database.Query()
	query.Set("sslrootcert", file)
	database.RawQuery = query.Encode()
	return database.String(), nil
}

// authorityPrefix begins the names of the files with the CAs of machines.
const authorityPrefix = "ca-"

// authority returns the path of the file with the CA of a machine.
func (p *Plane) authority(instanceID string) string {
	return filepath.Join(p.folder, authorityPrefix+instanceID+".pem")
}

// dropAuth turns the engine off and deletes its accounts, even if the engine no longer
// runs.
func (p *Plane) dropAuth(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if m.authPort == 0 {
		return nil
	}
	// Without Postgres, the accounts are gone already.
	if m.postgres() != nil {
		if err := p.eraseAuth(ctx, m, wanted); err != nil {
			return fmt.Errorf("turn the auth engine off: %w", err)
		}
	}
	return p.removeAuth(m)
}

func (p *Plane) eraseAuth(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if m.auth != nil {
		return m.auth.Erase(ctx)
	}
	database, err := p.insideURL(m, wanted)
	if err != nil {
		return err
	}
	return authengine.Erase(ctx, database)
}

// removeAuth stops the engine. The caller must hold the turn.
func (p *Plane) removeAuth(m *machine) error {
	p.mu.Lock()
	engine := m.auth
	m.auth, m.authPort = nil, 0
	m.endpoints.AuthURL = ""
	p.mu.Unlock()
	err := os.RemoveAll(p.authority(m.id))
	if engine == nil {
		return err
	}
	return errors.Join(err, engine.Close())
}

// closeAuth stops all auth engines when the Plane is closed.
func (p *Plane) closeAuth() error {
	var errs []error
	p.mu.Lock()
	var engines []*authengine.Engine
	for _, m := range p.machines {
		if m.auth != nil {
			engines = append(engines, m.auth)
		}
	}
	p.mu.Unlock()
	for _, engine := range engines {
		errs = append(errs, engine.Close())
	}
	return errors.Join(errs...)
}

// authTold passes an event of an auth engine to the control plane. The link and the code
// go only into the mail, because an event never contains a secret.
func (p *Plane) authTold(instanceID string, e authengine.Event) {
	defer rescue.Log(p.log, "tell of an account")
	if e.Kind != "" {
		p.controlPlane.Emit(e.Kind, instanceID, map[string]any{"user_id": e.UserID})
	}
	if e.Link != "" || e.Code != "" {
		p.controlPlane.SendMail(core.Mail{InstanceID: instanceID, To: e.Email, Link: e.Link, Code: e.Code})
	}
}
