package client

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

// A network connects a client with a server. Both use real HTTP over TLS. The network is
// in memory, so that time passes in it as in synctest.
type network struct {
	arriving chan net.Conn // at the server
	closed   chan struct{}
	close    func()

	mu    sync.Mutex
	back  time.Time // no connection can be opened before
	links []*link
}

// A link is one connection through the network: two pipes, with copies in between.
type link struct {
	mu     sync.Mutex
	silent bool
	ends   []net.Conn
}

// newNetwork serves a handler behind a network, and returns a client of it.
func newNetwork(t *testing.T, http2 bool, handler http.HandlerFunc, options ...func(*Options)) (*Client, *network) {
	n := &network{arriving: make(chan net.Conn), closed: make(chan struct{})}
	n.close = sync.OnceFunc(func() { close(n.closed) })
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = n
	server.EnableHTTP2 = http2
	server.StartTLS()
	c, _ := newTestClient(t, nil, append(options, func(o *Options) { o.BaseURL, o.Transport = "https://example.com/api/v1", nil })...)
	known := x509.NewCertPool()
	known.AddCert(server.Certificate())
	var opened []*http.Transport
	c.sender.http.HTTPClient.Transport.(*attempts).connections = newConnections(func() http.RoundTripper {
		transport := newTransport().(*http.Transport)
		transport.Proxy = nil
		transport.TLSClientConfig = &tls.Config{RootCAs: known}
		transport.DialContext = n.dial
		opened = append(opened, transport)
		return transport
	})
	t.Cleanup(func() {
		for _, transport := range opened {
			transport.CloseIdleConnections()
		}
		for _, l := range n.links {
			l.close()
		}
		server.Close()
	})
	return c, n
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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

// dials returns the number of connections opened so far.
func (n *network) dials() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.links)
}

// silence drops all data sent from now on over the existing connections.
func (n *network) silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, l := range n.links {
		l.mu.Lock()
		l.silent = true
		l.mu.Unlock()
	}
}

// goAway silences the existing connections permanently, and rejects new ones for a while.
func (n *network) goAway(d time.Duration) {
	n.silence()
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

// Accept makes the network the listener of its server.

func (n *network) Accept() (net.Conn, error) {
	select {
	case connection := <-n.arriving:
		return connection, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error   { n.close(); return nil }
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }
