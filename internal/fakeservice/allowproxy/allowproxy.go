// Package allowproxy guards the public ports of engines and applies the allowlist.
package allowproxy

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
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// Proxy guards a public port. It admits clients in the allowlist, resets the connections of
// others as a firewall does, and does not interpret the bytes that pass through it. It
// outlives the server behind it, so that a restart never loses the port.
type Proxy struct {
	listener net.Listener
	tls      *tls.Config
	log      *slog.Logger
	passing  sync.WaitGroup
	// life ends when the proxy is closed.
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

// Options configures a proxy and its target.
type Options struct {
	// Host is the address that the proxy listens on, unless Public has the public ports
	// elsewhere. Ports are the preferred ports: the proxy takes the first free one, or any
	// port if all are taken. A port 0 is skipped.
	Host   string
	Public publicaddr.Addresses
	Ports  []int
	// Engine is the log's name for the server behind the proxy.
	Engine string
	// TLS is for a server without TLS: the proxy then speaks TLS with clients and forwards
	// the decrypted bytes. Nil forwards everything unchanged.
	TLS *tls.Config
	// Logger logs refused connections.
	Logger *slog.Logger
}

// Open opens a proxy without a target that admits all clients.
func Open(ctx context.Context, o Options) (*Proxy, error) {
	listener, err := o.Public.Listen(ctx, o.Host, o.Ports...)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		listener: listener, tls: o.TLS, open: map[net.Conn]netip.Addr{},
		log: o.Logger.With("engine", o.Engine, "port", loopback.Port(listener.Addr())),
	}
	p.life, p.end = context.WithCancel(context.WithoutCancel(ctx))
	p.passing.Go(p.serve)
	return p, nil
}

// Port returns the proxy's port.
func (p *Proxy) Port() int { return loopback.Port(p.listener.Addr()) }

// Address returns the proxy's host and port.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Lead sets the target of new connections, in the form of net.Dial. The network is tcp or
// unix. An empty address refuses them.
func (p *Proxy) Lead(network, inside string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.network, p.inside = network, inside
}

// Dial connects to the server as a client in the allowlist does, without a port.
func (p *Proxy) Dial(context.Context) (net.Conn, error) {
	client, outer := net.Pipe()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, net.ErrClosed
	}
	p.passing.Go(func() { p.pass(outer) })
	return client, nil
}

// Allow sets the allowlist, and cuts off clients that are no longer in it. An empty list
// admits all clients.
func (p *Proxy) Allow(list []netip.Prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = slices.Clone(list)
	for connection, from := range p.open {
		if !p.allows(from) {
			p.log.Warn("a connection was cut off: the address is not in the allowlist any more", "from", from)
			cutOff(connection)
		}
	}
}

// allows reports whether an address is admitted. A connection of Dial has none. The caller
// holds the lock.
func (p *Proxy) allows(from netip.Addr) bool {
	return len(p.allowed) == 0 || !from.IsValid() || slices.ContainsFunc(p.allowed, func(block netip.Prefix) bool { return block.Contains(from) })
}

func (p *Proxy) serve() {
	for {
		connection, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Too many open files, most likely. It may be temporary.
			p.log.Error("a connection could not be accepted", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		p.passing.Go(func() { p.pass(connection) })
	}
}

// pass handles one connection from its beginning to its end.
func (p *Proxy) pass(outer net.Conn) {
	defer rescue.Log(p.log, "pass a connection")
	defer outer.Close()
	network, inside, ok := p.enter(outer)
	if !ok {
		cutOff(outer)
		return
	}
	defer p.leave(outer)
	visitor, err := p.greet(outer)
	if err != nil {
		p.log.Warn("a connection was refused: there was no TLS", "from", outer.RemoteAddr(), "error", err)
		return
	}
	inner, err := dial(p.life, network, inside)
	if err != nil {
		p.log.Warn("a connection was refused: the server is not up", "from", outer.RemoteAddr())
		cutOff(outer)
		return
	}
	defer inner.Close()
	var both sync.WaitGroup
	both.Go(func() { forward(inner, visitor) })
	both.Go(func() { forward(visitor, inner) })
	both.Wait()
}

// dial connects to a server.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network == "unix" {
		return process.DialSocket(ctx, address)
	}
	var dialer net.Dialer
	return dialer.DialContext(ctx, network, address)
}

// greetingTime is the time limit for a client's TLS handshake.
const greetingTime = 10 * time.Second

// greet performs the TLS handshake with a client, if the proxy speaks TLS.
func (p *Proxy) greet(outer net.Conn) (net.Conn, error) {
	if p.tls == nil {
		return outer, nil
	}
	ctx, cancel := context.WithTimeout(p.life, greetingTime)
	defer cancel()
	secure := tls.Server(outer, p.tls)
	return secure, secure.HandshakeContext(ctx)
}

// enter registers an admitted connection, and returns its target.
func (p *Proxy) enter(outer net.Conn) (network, inside string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := addressOf(outer)
	switch {
	case p.closed:
		return "", "", false
	case !p.allows(from):
		p.log.Warn("a connection was refused: the address is not in the allowlist", "from", from)
		return "", "", false
	case p.inside == "":
		p.log.Warn("a connection was refused: the server is not up", "from", from)
		return "", "", false
	}
	p.open[outer] = from
	return p.network, p.inside, true
}

func (p *Proxy) leave(outer net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, outer)
}

// Close shuts the proxy and cuts off all clients.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	p.end()
	_ = p.listener.Close() // it stops listening in any case
	for connection := range p.open {
		cutOff(connection)
	}
	p.mu.Unlock()
	p.passing.Wait()
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
