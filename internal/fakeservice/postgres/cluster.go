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

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/allowproxy"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Settings configures a cluster. Host, Certificate, Key and Ports never change.
type Settings struct {
	// Host is the loopback address of the ports. If Options.Public has the public ports
	// elsewhere, it is only the address of the inside port.
	Host string
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	// Ports are the preferred ports, used if they are free. A 0 means the service's
	// standard port, or any port for the inside.
	Ports Ports
	// OwnerPassword and ReadOnlyPassword are the passwords of the two roles.
	OwnerPassword, ReadOnlyPassword string
	// Connections is the maximum number of concurrent connections of both roles together.
	Connections int
	// Allowlist contains the networks that may connect to the public ports; empty means
	// all.
	Allowlist []netip.Prefix
}

// Ports are the ports of a cluster.
type Ports struct{ Direct, Pooled, Inside int }

// Cluster is one PostgreSQL server. It is safe for concurrent use. A server that is killed
// is restarted.
type Cluster struct {
	server *Server
	folder string
	log    *slog.Logger

	direct *allowproxy.Proxy
	// pooled is nil if PgBouncer is not installed.
	pooled *allowproxy.Proxy
	pooler *pooler

	// lock serializes changes of the cluster. It guards the following fields.
	lock     *enginelock.Lock
	settings Settings
	// unsettled is set until the settings are known to be in effect.
	unsettled bool
	// process is nil while the server is stopped on purpose.
	process *program

	// inside is the server's own port, or 0 before the first start. Sessions read it
	// without the lock.
	inside atomic.Int32
	// newest is the server that was started last. It is read without the lock.
	newest atomic.Pointer[program]
}

// Time limits for a busy machine.
const (
	startTime = time.Minute
	// startAttempts is the number of attempts to start: another program may take the port
	// in the meantime, and the rest of a killed server takes a moment to end.
	startAttempts = 5
)

// NewCluster starts the cluster with a name, which is the name of its folder, and with the
// data kept there. If there is no data, it creates a new cluster. Kept data stays if
// NewCluster fails.
func (s *Server) NewCluster(ctx context.Context, name string, settings Settings) (*Cluster, error) {
	c := &Cluster{
		server: s, folder: filepath.Join(s.folder, name), log: s.log.With("cluster", name),
		lock: enginelock.New(ctx), settings: settings,
	}
	if err := process.CheckSocket(filepath.Join(c.sockets(), ".s.PGSQL.65535")); err != nil {
		return nil, err
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
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, folder := range []string{c.folder, filepath.Dir(c.sockets())} {
		if err := c.server.account.MakePassable(folder); err != nil {
			return err
		}
	}
	if err := c.server.account.MakeFolder(c.sockets()); err != nil {
		return err
	}
	if err := c.openProxies(ctx); err != nil {
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

func (c *Cluster) openProxies(ctx context.Context) error {
	var err error
	if c.direct, err = c.openProxy(ctx, c.settings.Ports.Direct, DirectPort); err != nil {
		return err
	}
	c.direct.Allow(c.settings.Allowlist)
	if c.server.programs.PgBouncer == "" {
		return nil
	}
	if c.pooled, err = c.openProxy(ctx, c.settings.Ports.Pooled, PooledPort); err != nil {
		return err
	}
	c.pooled.Allow(c.settings.Allowlist)
	c.pooler = &pooler{cluster: c}
	return nil
}

func (c *Cluster) openProxy(ctx context.Context, ports ...int) (*allowproxy.Proxy, error) {
	return allowproxy.Open(ctx, allowproxy.Options{Host: c.settings.Host, Public: c.server.public, Ports: ports, Engine: "postgres", Logger: c.log})
}

// DirectPort returns the public port for sessions.
func (c *Cluster) DirectPort() int { return c.direct.Port() }

// PooledPort returns the public port for ordinary transactions, or 0 without PgBouncer.
func (c *Cluster) PooledPort() int {
	if c.pooled == nil {
		return 0
	}
	return c.pooled.Port()
}

// InsidePort returns the port for programs on the instance itself. The allowlist does not
// apply to it; TLS and a password are required there too. It stays the same unless another
// program takes it during a restart.
func (c *Cluster) InsidePort() int { return int(c.inside.Load()) }

// Configure applies new settings. Passwords and the allowlist change without a restart; the
// number of connections needs one.
func (c *Cluster) Configure(ctx context.Context, s Settings) error {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
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
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	c.stop(stopFast)
	return c.start(ctx)
}

// start starts the server and admits clients once the settings are in effect. The caller
// has the lock.
func (c *Cluster) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	for range startAttempts {
		// Apps know the port, so it stays the same if possible.
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
	p, err := c.startServer()
	if err != nil {
		return err
	}
	if err := c.awaitReady(ctx, p); err != nil {
		p.stop(stopImmediate)
		return fmt.Errorf("%w\n%s", err, p.output.String())
	}
	c.process = p
	c.newest.Store(p)
	go c.lock.Revive(c.log, "PostgreSQL", p.Process, func() bool { return c.process == p }, c.start)
	return nil
}

// awaitReady returns when the server accepts connections.
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

// Dial connects to the direct port as a client in the allowlist does.
func (c *Cluster) Dial(ctx context.Context) (net.Conn, error) { return c.direct.Dial(ctx) }

// DialPooled is like Dial for the pooled port, which must exist.
func (c *Cluster) DialPooled(ctx context.Context) (net.Conn, error) { return c.pooled.Dial(ctx) }

// stop stops the server. The caller has the lock.
func (c *Cluster) stop(how os.Signal) {
	c.direct.Lead("", "")
	p := c.process
	c.process = nil
	if p != nil {
		p.stop(how)
	}
}

// setPasswords sets the roles' passwords in the server and the pooler. The caller has the
// lock.
func (c *Cluster) setPasswords(ctx context.Context) error {
	err := c.asSuperuser(ctx, maintenance,
		"ALTER ROLE "+OwnerRole+" PASSWORD "+quote(c.settings.OwnerPassword),
		"ALTER ROLE "+ReadOnlyRole+" PASSWORD "+quote(c.settings.ReadOnlyPassword),
		// PostgreSQL lets each role change its own settings, so a session may have done so.
		"ALTER ROLE "+ReadOnlyRole+" RESET ALL", readOnlyByDefault)
	if err != nil {
		return fmt.Errorf("set the passwords: %w", err)
	}
	if c.pooler == nil {
		return nil
	}
	return c.pooler.restart(ctx)
}

// Remove stops the cluster and deletes its data.
func (c *Cluster) Remove() error {
	return errors.Join(c.Close(), workdir.Discard(c.folder))
}

// Close stops the cluster. Its data stays in place.
func (c *Cluster) Close() error {
	// The current holder of the lock ends soon, because its connections to the server do.
	defer c.lock.Close()()
	defer c.server.forget(c)
	for _, p := range []*allowproxy.Proxy{c.direct, c.pooled} {
		if p != nil {
			p.Close()
		}
	}
	if c.pooler != nil {
		c.pooler.stop()
	}
	if c.process != nil {
		how := stopImmediate
		if c.server.kept {
			how = stopFast // the next start then needs no recovery
		}
		c.process.stop(how)
		c.process = nil
	}
	return os.RemoveAll(c.sockets())
}
