package transporttest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// A Network connects a client with a server. Both use real HTTP over TLS. The network is
// in memory, so that time passes in it as in synctest.
type Network struct {
	arriving chan net.Conn // at the server
	closed   chan struct{}
	close    func()
	open     func() *http.Transport
	known    *x509.CertPool

	mu     sync.Mutex
	back   time.Time // no connection can be opened before
	links  []*link
	opened []*http.Transport
}

// A link is one connection through the network: two pipes, with copies in between.
type link struct {
	mu     sync.Mutex
	silent bool
	ends   []net.Conn
}

// NewNetwork serves a handler behind a network. open returns a transport whose connections
// then go through the network. Its base URL is https://example.com/api/v1.
func NewNetwork(t testing.TB, http2 bool, handler http.HandlerFunc, open func() *http.Transport) *Network {
	t.Helper()
	n := &Network{arriving: make(chan net.Conn), closed: make(chan struct{}), open: open, known: x509.NewCertPool()}
	n.close = sync.OnceFunc(func() { close(n.closed) })
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = n
	server.EnableHTTP2 = http2
	server.StartTLS()
	n.known.AddCert(server.Certificate())
	t.Cleanup(func() {
		for _, transport := range n.opened {
			transport.CloseIdleConnections()
		}
		for _, l := range n.links {
			l.close()
		}
		server.Close()
	})
	return n
}

// Open returns a transport without connections.
func (n *Network) Open() http.RoundTripper {
	transport := n.open()
	transport.Proxy = nil
	transport.TLSClientConfig = &tls.Config{RootCAs: n.known}
	transport.DialContext = n.dial
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opened = append(n.opened, transport)
	return transport
}

// RoundTrip sends a request over a connection of its own.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) { return n.Open().RoundTrip(r) }

// dialTimeout is the time after which a connection that nobody accepts has failed.
const dialTimeout = 10 * time.Second

func (n *Network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if time.Now().Before(n.back) {
		n.mu.Unlock()
		dialling, cancel := context.WithTimeout(ctx, dialTimeout)
		<-dialling.Done()
		cancel()
		n.mu.Lock()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: dialling.Err()}
	}
	near, nearEnd := net.Pipe()
	farEnd, far := net.Pipe()
	l := &link{ends: []net.Conn{near, nearEnd, farEnd, far}}
	n.links = append(n.links, l)
	go l.copy(farEnd, nearEnd)
	go l.copy(nearEnd, farEnd)
	n.arriving <- far
	return near, nil
}

// Dials returns the number of connections opened so far.
func (n *Network) Dials() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.links)
}

// Silence drops all data sent from now on over the existing connections.
func (n *Network) Silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		l.mu.Lock()
		l.silent = true
		l.mu.Unlock()
	}
}

// GoAway silences the existing connections permanently, and rejects new ones for a while.
func (n *Network) GoAway(d time.Duration) {
	n.Silence()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.back = time.Now().Add(d)
}

func (l *link) copy(to, from net.Conn) {
	packet := make([]byte, 64<<10)
	for {
		size, err := from.Read(packet)
		if err != nil {
			if !l.isSilent() {
				l.close()
			}
			return
		}
		if !l.isSilent() {
			_, _ = to.Write(packet[:size]) // if it fails, the next read fails, too
		}
	}
}

func (l *link) isSilent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.silent
}

func (l *link) close() {
	for _, end := range l.ends {
		_ = end.Close()
	}
}

// Accept returns the next connection. A Network is the listener of its server.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case connection := <-n.arriving:
		return connection, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the listening.
func (n *Network) Close() error { n.close(); return nil }

// Addr returns an address that nothing uses.
func (n *Network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }
