package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
)

// mostClients is the maximum number of clients of the pooled port. They share the server's
// connections, so it is far above the plan's limit.
const mostClients = 1000

// pooler is the PgBouncer of a cluster. Its methods require the cluster's lock.
type pooler struct {
	cluster *Cluster
	process *program
	port    int
}

// restart applies the cluster's settings. It ends the sessions that used rotated passwords,
// which a reload would leave.
func (p *pooler) restart(ctx context.Context) error {
	p.stop()
	var err error
	for range startAttempts {
		if p.port, err = loopback.FreePort(ctx, p.cluster.settings.Host); err != nil {
			return err
		}
		if err = p.start(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("start PgBouncer: %w", err)
	}
	p.cluster.pooled.Lead("tcp", p.address())
	return nil
}

func (p *pooler) start(ctx context.Context) error {
	c := p.cluster
	if err := p.writeConfiguration(); err != nil {
		return err
	}
	process, err := c.startPooler()
	if err != nil {
		return err
	}
	if err := p.awaitReady(ctx, process); err != nil {
		process.stop(os.Kill)
		return fmt.Errorf("%w\n%s", err, process.output.String())
	}
	p.process = process
	go p.watch(process)
	return nil
}

// stop ends PgBouncer. No data is lost.
func (p *pooler) stop() {
	p.cluster.pooled.Lead("", "")
	process := p.process
	p.process = nil
	if process != nil {
		process.stop(os.Kill)
	}
}

func (p *pooler) address() string {
	return net.JoinHostPort(p.cluster.settings.Host, strconv.Itoa(p.port))
}

// writeConfiguration writes the files that PgBouncer reads when it starts.
func (p *pooler) writeConfiguration() error {
	c := p.cluster
	var text strings.Builder
	fmt.Fprintf(&text, "[databases]\n* = host=%s port=%d\n[pgbouncer]\n", c.sockets(), c.inside.Load())
	for _, s := range [][2]any{
		{"listen_addr", c.settings.Host},
		{"listen_port", p.port},
		{"unix_socket_dir", ""},
		{"auth_type", "scram-sha-256"},
		{"auth_file", c.path("users.txt")},
		{"client_tls_sslmode", "require"},
		{"client_tls_cert_file", c.path("server.crt")},
		{"client_tls_key_file", c.path("server.key")},
		{"pool_mode", "transaction"},
		// The rest of the plan's connections is for direct sessions.
		{"default_pool_size", max(1, c.settings.Connections/2)},
		{"max_client_conn", mostClients},
		// Drivers send these when they connect, and a pool cannot keep them.
		{"ignore_startup_parameters", "extra_float_digits,options"},
		{"server_login_retry", 1},
	} {
		fmt.Fprintf(&text, "%s = %v\n", s[0], s[1])
	}
	users := fmt.Sprintf("\"%s\" \"%s\"\n\"%s\" \"%s\"\n",
		OwnerRole, c.settings.OwnerPassword, ReadOnlyRole, c.settings.ReadOnlyPassword)
	return errors.Join(
		c.server.account.WriteFile(c.path("pgbouncer.ini"), text.String()),
		c.server.account.WriteFile(c.path("users.txt"), users))
}

// awaitReady returns when PgBouncer listens.
func (p *pooler) awaitReady(ctx context.Context, process *program) error {
	var dialer net.Dialer
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := dialer.DialContext(ctx, "tcp", p.address()); err == nil {
			return conn.Close()
		}
		select {
		case <-process.Ended():
			return errors.New("it ended before it was ready")
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// watch restarts PgBouncer when it ends without having been told to.
func (p *pooler) watch(process *program) {
	p.cluster.lock.Revive(p.cluster.log, "PgBouncer", process.Process, func() bool { return p.process == process }, p.restart)
}
