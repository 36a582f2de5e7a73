package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gate"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scratch"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/turn"
)

// Settings are how a cluster is to be. Host, Certificate, Key and Ports never change.
type Settings struct {
	// Host is the loopback address that the ports are at, or those of the inside alone
	// where Options.Outside has the public ones elsewhere.
	Host string
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	// Ports are those to have if they are free; 0 is the service's own, and any for
	// the inside.
	Ports Ports
	// OwnerPassword and ReadOnlyPassword are those of the two roles.
	OwnerPassword, ReadOnlyPassword string
	// Connections is how many there may be at once, of both roles together.
	Connections int
	// Allowlist is who may connect to the public ports; empty is everyone.
	Allowlist []netip.Prefix
}

// Ports are where a cluster is reached.
type Ports struct{ Direct, Pooled, Inside int }

// Cluster is one PostgreSQL. It is safe for concurrent use. One that is killed
// is started again.
type Cluster struct {
	server *Server
	folder string
	log    *slog.Logger

	direct *gate.Gate
	// pooled is nil where there is no PgBouncer.
	pooled *gate.Gate
	pooler *pooler

	// turn is held by whoever changes the cluster. It guards what follows.
	turn     *turn.Turn
	settings Settings
	// unsettled is set while it is not sure that the settings are in force.
	unsettled bool
	// process is nil while the server is stopped on purpose.
	process *program

	// inside is the server's own port; 0 before the first start. Sessions read
	// it without the turn.
	inside atomic.Int32
}

// Times that things may take on a busy machine.
const (
	startTime   = time.Minute
	reviveEvery = 500 * time.Millisecond
	// startAttempts is how often a start is tried: a port may be taken from
	// under it, and what is left of a killed server takes a moment to go.
	startAttempts = 5
)

// NewCluster starts the cluster of a name, which is a folder's, with the data that is
// kept of it. Without any it makes one. What is kept stays when that fails.
func (s *Server) NewCluster(ctx context.Context, name string, settings Settings) (*Cluster, error) {
	c := &Cluster{
		server: s, folder: filepath.Join(s.folder, name), log: s.log.With("cluster", name),
		turn: turn.New(ctx), settings: settings,
	}
	if socket := filepath.Join(c.sockets(), ".s.PGSQL.65535"); len(socket) > longestSocket {
		return nil, fmt.Errorf("the path %s is too long for a socket; choose a shorter folder", socket)
	}
	if err := s.add(c); err != nil {
		return nil, err
	}
	c.inside.Store(int32(settings.Ports.Inside))
	isNew, err := c.recover()
	if err == nil {
		err = c.make(ctx, isNew)
	}
	switch {
	case err == nil:
		return c, nil
	case isNew:
		return nil, errors.Join(err, c.Remove())
	}
	return nil, errors.Join(err, c.Close())
}

func (c *Cluster) make(ctx context.Context, isNew bool) error {
	ctx, leave, err := c.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for _, folder := range []string{c.folder, filepath.Dir(c.sockets()), c.sockets()} {
		if err := c.server.account.MakeFolder(folder); err != nil {
			return err
		}
	}
	if err := c.openGates(ctx); err != nil {
		return err
	}
	if isNew {
		if err := c.server.Prepare(ctx); err != nil {
			return err
		}
		if err := c.copyIn(ctx, c.server.template.folder); err != nil {
			return err
		}
		if err := os.Rename(c.next(), c.data()); err != nil {
			return err
		}
	}
	return c.start(ctx)
}

func (c *Cluster) openGates(ctx context.Context) error {
	var err error
	if c.direct, err = c.openGate(ctx, c.settings.Ports.Direct, DirectPort); err != nil {
		return err
	}
	c.direct.Allow(c.settings.Allowlist)
	if c.server.programs.PgBouncer == "" {
		return nil
	}
	if c.pooled, err = c.openGate(ctx, c.settings.Ports.Pooled, PooledPort); err != nil {
		return err
	}
	c.pooled.Allow(c.settings.Allowlist)
	c.pooler = &pooler{cluster: c}
	return nil
}

func (c *Cluster) openGate(ctx context.Context, ports ...int) (*gate.Gate, error) {
	return gate.Open(ctx, gate.Options{Host: c.settings.Host, Outside: c.server.outside, Ports: ports, Engine: "postgres", Logger: c.log})
}

// DirectPort is the public port for sessions.
func (c *Cluster) DirectPort() int { return c.direct.Port() }

// PooledPort is the public port for ordinary transactions, or 0 where there is
// no PgBouncer.
func (c *Cluster) PooledPort() int {
	if c.pooled == nil {
		return 0
	}
	return c.pooled.Port()
}

// InsidePort is the port for what runs on the instance itself, which the
// allowlist does not concern. TLS and a password are required there too. It
// stays the same unless somebody takes it during a restart.
func (c *Cluster) InsidePort() int { return int(c.inside.Load()) }

// Configure brings other settings into force. Passwords and the allowlist
// change without a restart, the number of connections with one.
func (c *Cluster) Configure(ctx context.Context, s Settings) error {
	ctx, leave, err := c.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	before := c.settings
	all := c.unsettled
	c.unsettled = true
	c.settings.OwnerPassword, c.settings.ReadOnlyPassword = s.OwnerPassword, s.ReadOnlyPassword
	c.settings.Connections, c.settings.Allowlist = s.Connections, s.Allowlist
	c.direct.Allow(s.Allowlist)
	if c.pooled != nil {
		c.pooled.Allow(s.Allowlist)
	}
	switch {
	case all || before.Connections != s.Connections || c.process == nil:
		c.stop(stopFast)
		if err := c.start(ctx); err != nil {
			return err
		}
	case before.OwnerPassword != s.OwnerPassword || before.ReadOnlyPassword != s.ReadOnlyPassword:
		if err := c.setPasswords(ctx); err != nil {
			return err
		}
	}
	c.unsettled = false
	return nil
}

// Restart restarts the server. Its data stays.
func (c *Cluster) Restart(ctx context.Context) error {
	ctx, leave, err := c.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	c.stop(stopFast)
	return c.start(ctx)
}

// start starts the server and lets callers in once the settings are in force.
// The turn is held.
func (c *Cluster) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		// The port stays the same if it can, as apps have been told of it.
		if port := c.InsidePort(); port == 0 || !loopback.IsFree(ctx, c.settings.Host, port) {
			port, err := loopback.FreePort(ctx, c.settings.Host)
			if err != nil {
				return err
			}
			c.inside.Store(int32(port))
		}
		if err = c.startOnce(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := c.setPasswords(ctx); err != nil {
		return err
	}
	c.direct.Lead("tcp", net.JoinHostPort(c.settings.Host, strconv.Itoa(c.InsidePort())))
	return nil
}

func (c *Cluster) startOnce(ctx context.Context) error {
	if err := c.writeConfiguration(); err != nil {
		return err
	}
	p, err := startProgram(c.server.account, c.folder, c.server.programs.Postgres,
		"-D", c.data(), "-c", "config_file="+c.path("postgresql.conf"))
	if err != nil {
		return err
	}
	if err := c.awaitReady(ctx, p); err != nil {
		p.stop(stopImmediate)
		return fmt.Errorf("%w\n%s", err, p.output.String())
	}
	c.process = p
	go c.revive(p, "PostgreSQL", func() bool { return c.process == p }, c.start)
	return nil
}

// awaitReady returns when the server takes connections.
func (c *Cluster) awaitReady(ctx context.Context, p *program) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := c.connect(ctx, superuser, maintenance)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.Ended():
			return errors.New("it ended before it was ready")
		case <-ctx.Done():
			return fmt.Errorf("it was not ready in time: %w", err)
		case <-tick.C:
		}
	}
}

// stop stops the server. The turn is held.
func (c *Cluster) stop(how os.Signal) {
	c.direct.Lead("", "")
	p := c.process
	c.process = nil
	if p != nil {
		p.stop(how)
	}
}

// revive starts a program again when it ends without having been told to. It
// returns when the program that it watches is no longer the one that is wanted.
func (c *Cluster) revive(p *program, what string, wanted func() bool, start func(context.Context) error) {
	defer rescue.Log(c.log, "keep "+what+" running")
	<-p.Ended()
	for {
		ctx, leave, err := c.turn.Enter(c.turn.Life())
		if err != nil {
			return
		}
		if !wanted() {
			leave()
			return
		}
		c.log.Warn(what + " ended by itself and is started again")
		err = start(ctx)
		leave()
		if err == nil || c.turn.Life().Err() != nil {
			return
		}
		c.log.Error(what+" could not be started again", "error", err)
		select {
		case <-time.After(reviveEvery):
		case <-c.turn.Life().Done():
		}
	}
}

// setPasswords gives the roles their passwords, in the server and the pooler.
// The turn is held.
func (c *Cluster) setPasswords(ctx context.Context) error {
	err := c.asSuperuser(ctx, maintenance,
		"ALTER ROLE "+OwnerRole+" PASSWORD "+quote(c.settings.OwnerPassword),
		"ALTER ROLE "+ReadOnlyRole+" PASSWORD "+quote(c.settings.ReadOnlyPassword),
		// PostgreSQL lets each role change its own settings, so a session may have.
		"ALTER ROLE "+ReadOnlyRole+" RESET ALL", readOnlyByDefault)
	if err != nil {
		return fmt.Errorf("set the passwords: %w", err)
	}
	if c.pooler == nil {
		return nil
	}
	return c.pooler.restart(ctx)
}

// Remove stops the cluster and takes its data away.
func (c *Cluster) Remove() error {
	return errors.Join(c.Close(), scratch.Discard(c.folder))
}

// Close stops the cluster. Its data stays where it is.
func (c *Cluster) Close() error {
	// Whoever has the turn ends soon, as its connections to the server do.
	defer c.turn.Close()()
	defer c.server.forget(c)
	for _, g := range []*gate.Gate{c.direct, c.pooled} {
		if g != nil {
			g.Close()
		}
	}
	if c.pooler != nil {
		c.pooler.stop()
	}
	if c.process != nil {
		how := stopImmediate
		if c.server.kept {
			how = stopFast // the next start has nothing to mend then
		}
		c.process.stop(how)
		c.process = nil
	}
	return os.RemoveAll(c.sockets())
}
