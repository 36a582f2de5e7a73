package postgres

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// gate stands before a public port. It lets in who is in the allowlist, resets
// the connections of others as a firewall does, and knows nothing of what
// passes through it. It outlives the server behind it, so that a restart never
// loses the port.
type gate struct {
	listener net.Listener
	log      *slog.Logger
	passing  sync.WaitGroup
	// life ends when the gate is closed.
	life context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// inside is where connections lead; empty while nothing listens there.
	inside string
	// allowed is empty where everyone may come in.
	allowed []netip.Prefix
	open    map[net.Conn]netip.Addr
	closed  bool
}

// listen opens a gate for a host at the first of the ports that can be had, or at another
// one. A port 0 is none.
func listen(ctx context.Context, at outside.Addresses, host string, log *slog.Logger, ports ...int) (*gate, error) {
	listener, err := at.Listen(ctx, host, ports...)
	if err != nil {
		return nil, err
	}
	g := &gate{listener: listener, log: log, open: map[net.Conn]netip.Addr{}}
	g.life, g.end = context.WithCancel(context.WithoutCancel(ctx))
	g.passing.Go(g.serve)
	return g, nil
}

// port is the one that the gate is at.
func (g *gate) port() int { return loopback.Port(g.listener.Addr()) }

// lead sets where connections go from now on; "" refuses them.
func (g *gate) lead(inside string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside = inside
}

// allow sets who may come in, and cuts off who may not any more.
func (g *gate) allow(list []netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed = slices.Clone(list)
	for connection, from := range g.open {
		if !g.allows(from) {
			g.log.Warn("a connection to Postgres was cut off: the address is not in the allowlist any more", "from", from, "port", g.port())
			cutOff(connection)
		}
	}
}

// allows tells whether an address may come in. The lock is held.
func (g *gate) allows(from netip.Addr) bool {
	return len(g.allowed) == 0 || slices.ContainsFunc(g.allowed, func(block netip.Prefix) bool { return block.Contains(from) })
}

func (g *gate) serve() {
	for {
		connection, err := g.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Too many open files, most likely. It may pass.
			g.log.Error("a connection to Postgres could not be accepted", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		g.passing.Go(func() { g.pass(connection) })
	}
}

// pass takes one connection from its beginning to its end.
func (g *gate) pass(outer net.Conn) {
	defer rescue.Log(g.log, "pass a connection to Postgres")
	defer outer.Close()
	inside, ok := g.enter(outer)
	if !ok {
		cutOff(outer)
		return
	}
	defer g.leave(outer)
	var dialer net.Dialer
	inner, err := dialer.DialContext(g.life, "tcp", inside)
	if err != nil {
		g.log.Warn("a connection to Postgres was refused: the server is not up", "from", outer.RemoteAddr(), "port", g.port())
		cutOff(outer)
		return
	}
	defer inner.Close()
	var both sync.WaitGroup
	both.Go(func() { forward(inner, outer) })
	both.Go(func() { forward(outer, inner) })
	both.Wait()
}

// enter lets a connection in, if it may, and says where it leads.
func (g *gate) enter(outer net.Conn) (inside string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := addressOf(outer)
	switch {
	case g.closed:
		return "", false
	case !g.allows(from):
		g.log.Warn("a connection to Postgres was refused: the address is not in the allowlist", "from", from, "port", g.port())
		return "", false
	case g.inside == "":
		g.log.Warn("a connection to Postgres was refused: the server is not up", "from", from, "port", g.port())
		return "", false
	}
	g.open[outer] = from
	return g.inside, true
}

func (g *gate) leave(outer net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, outer)
}

// close shuts the gate and cuts off everyone.
func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.end()
	_ = g.listener.Close() // it listens no more either way
	for connection := range g.open {
		cutOff(connection)
	}
	g.mu.Unlock()
	g.passing.Wait()
}

// forward copies one direction to its end and passes the end on.
func forward(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok && err == nil {
		_ = half.CloseWrite() // the other side may be gone already
		return
	}
	// A broken connection ends both directions.
	_ = to.Close()
	_ = from.Close()
}

// cutOff resets a connection: the caller sees an error at once and never takes
// it for an orderly end.
func cutOff(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the end is an orderly one
	}
	_ = connection.Close()
}

func addressOf(connection net.Conn) netip.Addr {
	if tcp, ok := connection.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
