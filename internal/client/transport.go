package client

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// dialTimeout is how long a connection may take to be made.
	dialTimeout = 10 * time.Second
	// pingAfter is how long nothing may come over an HTTP/2 connection before the client
	// sends a ping, and pingTimeout is how long the answer to a ping may take. After that the
	// connection is closed, and each request on it fails.
	pingAfter   = 15 * time.Second
	pingTimeout = 15 * time.Second
)

// newTransport is a transport for many requests to one host.
func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConnsPerHost = maxConcurrency
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
	return t
}

// connections are a client's connections to the service. They are kept in transports: an
// attempt takes the newest transport, and a connection on which an attempt has timed out is
// left with its transport. An http.Transport alone does not do that: it goes on sending over
// an HTTP/2 connection that no longer answers.
type connections struct {
	open   func() http.RoundTripper // makes a transport without connections
	newest atomic.Pointer[http.RoundTripper]
}

func newConnections(open func() http.RoundTripper) *connections {
	c := &connections{open: open}
	first := open()
	c.newest.Store(&first)
	return c
}

// leave makes later attempts use none of a transport's connections. Requests in flight on
// them go on: one of them may be a creation whose answer is still to come.
func (c *connections) leave(used *http.RoundTripper) {
	next := c.open()
	if !c.newest.CompareAndSwap(used, &next) {
		return // another attempt that timed out has left it
	}
	if t, ok := (*used).(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}
