// Package gate guards the public ports of engines and applies the allowlist.
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

// Gate guards a public port. It admits clients in the allowlist, resets the connections of
// others as a firewall does, and does not interpret the bytes that pass through it. It
// outlives the server behind it, so that a restart never loses the port.
type Gate struct {
	listener net.Listener
	tls      *tls.Config
	log      *slog.Logger
	passing  sync.WaitGroup
	// life ends when the gate is closed.
	life context.Context
	end  context.CancelFunc

	mu sync.Mutex
	// network and inside are the target of connections, empty while no server listens
	// there.
	network, inside string
	// allowed is empty if all clients are admitted.
	allowed []netip.Prefix
	open    map[net.Conn]netip.Addr
	closed  bool
}

// Options configures a gate and its target.
type Options struct {
	// Host is the address that the gate listens on, unless Outside has the public ports
	// elsewhere. Ports are the preferred ports: the gate takes the first free one, or any
	// port if all are taken. A port 0 is skipped.
	Host    string
	Outside outside.Addresses
	Ports   []int
	// Engine is the log's name for the server behind the gate.
	Engine string
	// TLS is for a server without TLS: the gate then speaks TLS with clients and forwards
	// the decrypted bytes. Nil forwards everything unchanged.
	TLS *tls.Config
	// Logger logs refused connections.
	Logger *slog.Logger
}

// Open opens a gate without a target that admits all clients.
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

// Port returns the gate's port.
func (g *Gate) Port() int { return loopback.Port(g.listener.Addr()) }

// Address returns the gate's host and port.
func (g *Gate) Address() string { return g.listener.Addr().String() }

// Lead sets the target of new connections, in the form of net.Dial. An empty address
// refuses them.
func (g *Gate) Lead(network, inside string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.network, g.inside = network, inside
}

// Allow sets the allowlist, and cuts off clients that are no longer in it. An empty list
// admits all clients.
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

// allows reports whether an address is admitted. The caller holds the lock.
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
			// Too many open files, most likely. It may be temporary.
			g.log.Error("a connection could not be accepted", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		g.passing.Go(func() { g.pass(connection) })
	}
}

// pass handles one connection from its beginning to its end.
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

// greetingTime is the time limit for a client's TLS handshake.
const greetingTime = 10 * time.Second

// greet performs the TLS handshake with a client, if the gate speaks TLS.
func (g *Gate) greet(outer net.Conn) (net.Conn, error) {
	if g.tls == nil {
		return outer, nil
	}
	ctx, cancel := context.WithTimeout(g.life, greetingTime)
	defer cancel()
	secure := tls.Server(outer, g.tls)
	return secure, secure.HandshakeContext(ctx)
}

// enter registers an admitted connection, and returns its target.
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

// Close shuts the gate and cuts off all clients.
func (g *Gate) Close() {
	g.mu.Lock()
	g.closed = true
	g.end()
	_ = g.listener.Close() // it stops listening in any case
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
		_ = half.CloseWrite() // the other side may have closed already
		return
	}
	// A broken connection ends both directions.
	_ = to.Close()
	_ = from.Close()
}

// cutOff resets a connection: the client sees an error immediately, which it cannot mistake
// for an orderly end.
func cutOff(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // otherwise the end is an orderly one
	}
	_ = connection.Close()
}

func addressOf(connection net.Conn) netip.Addr {
	if tcp, ok := connection.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
