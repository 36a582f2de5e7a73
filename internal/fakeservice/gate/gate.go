// Package gate stands before the public ports of engines and knows the allowlist.
package gate

import (
	"context"
	"crypto/tls"
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

// Gate stands before a public port. It lets in who is in the allowlist, resets
// the connections of others as a firewall does, and knows nothing of what
// passes through it. It outlives the server behind it, so that a restart never
// loses the port.
type Gate struct {
	listener net.Listener
	tls      *tls.Config
	log      *slog.Logger
	passing  sync.WaitGroup
	// life ends when the gate is closed.
	life context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// network and inside are where connections lead; empty while nothing listens
	// there.
	network, inside string
	// allowed is empty where everyone may come in.
	allowed []netip.Prefix
	open    map[net.Conn]netip.Addr
	closed  bool
}

// Options says where a gate is and what it stands before.
type Options struct {
	// Host is where it listens, unless Outside has public ports elsewhere. Ports are
	// those to have: it is at the first that is free, or at any where all are taken. A
	// port 0 is none.
	Host    string
	Outside outside.Addresses
	Ports   []int
	// Engine is what the log calls the server behind it.
	Engine string
	// TLS is for a server that has none of its own: the gate then speaks TLS with who
	// comes in, and passes on what is inside. Nil passes everything on as it is.
	TLS *tls.Config
	// Logger is told of refused connections.
	Logger *slog.Logger
}

// Open opens a gate that leads nowhere yet and lets everyone in.
func Open(ctx context.Context, o Options) (*Gate, error) {
	listener, err := o.Outside.Listen(ctx, o.Host, o.Ports...)
	if err != nil {
		return nil, err
	}
	g := &Gate{
		listener: listener, tls: o.TLS, open: map[net.Conn]netip.Addr{},
		log: o.Logger.With("engine", o.Engine, "port", loopback.Port(listener.Addr())),
	}
	g.life, g.end = context.WithCancel(context.WithoutCancel(ctx))
	g.passing.Go(g.serve)
	return g, nil
}

// Port is the one that the gate is at.
func (g *Gate) Port() int { return loopback.Port(g.listener.Addr()) }

// Address is the host and the port that the gate is at.
func (g *Gate) Address() string { return g.listener.Addr().String() }

// Lead sets where connections go from now on, as net.Dial takes it. An empty
// address refuses them.
func (g *Gate) Lead(network, inside string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.network, g.inside = network, inside
}

// Allow sets who may come in, and cuts off who may not any more. An empty list lets
// everyone in.
func (g *Gate) Allow(list []netip.Prefix) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed = slices.Clone(list)
	for connection, from := range g.open {
		if !g.allows(from) {
			g.log.Warn("a connection was cut off: the address is not in the allowlist any more", "from", from)
			cutOff(connection)
		}
	}
}

// allows tells whether an address may come in. The lock is held.
func (g *Gate) allows(from netip.Addr) bool {
	return len(g.allowed) == 0 || slices.ContainsFunc(g.allowed, func(block netip.Prefix) bool { return block.Contains(from) })
}

func (g *Gate) serve() {
	for {
		connection, err := g.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Too many open files, most likely. It may pass.
			g.log.Error("a connection could not be accepted", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		g.passing.Go(func() { g.pass(connection) })
	}
}

// pass takes one connection from its beginning to its end.
func (g *Gate) pass(outer net.Conn) {
	defer rescue.Log(g.log, "pass a connection")
	defer outer.Close()
	network, inside, ok := g.enter(outer)
	if !ok {
		cutOff(outer)
		return
	}
	defer g.leave(outer)
	visitor, err := g.greet(outer)
	if err != nil {
		g.log.Warn("a connection was refused: there was no TLS", "from", outer.RemoteAddr(), "error", err)
		return
	}
	var dialer net.Dialer
	inner, err := dialer.DialContext(g.life, network, inside)
	if err != nil {
		g.log.Warn("a connection was refused: the server is not up", "from", outer.RemoteAddr())
		cutOff(outer)
		return
	}
	defer inner.Close()
	var both sync.WaitGroup
	both.Go(func() { forward(inner, visitor) })
	both.Go(func() { forward(visitor, inner) })
	both.Wait()
}

// greetingTime is how long who comes in has for the beginning of TLS.
const greetingTime = 10 * time.Second

// greet speaks TLS with who comes in, where the gate does.
func (g *Gate) greet(outer net.Conn) (net.Conn, error) {
	if g.tls == nil {
		return outer, nil
	}
	ctx, cancel := context.WithTimeout(g.life, greetingTime)
	defer cancel()
	secure := tls.Server(outer, g.tls)
	return secure, secure.HandshakeContext(ctx)
}

// enter lets a connection in, if it may, and says where it leads.
func (g *Gate) enter(outer net.Conn) (network, inside string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := addressOf(outer)
	switch {
	case g.closed:
		return "", "", false
	case !g.allows(from):
		g.log.Warn("a connection was refused: the address is not in the allowlist", "from", from)
		return "", "", false
	case g.inside == "":
		g.log.Warn("a connection was refused: the server is not up", "from", from)
		return "", "", false
	}
	g.open[outer] = from
	return g.network, g.inside, true
}

func (g *Gate) leave(outer net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, outer)
}

// Close shuts the gate and cuts off everyone.
func (g *Gate) Close() {
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
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
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
