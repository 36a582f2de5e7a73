package transport

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// dialTimeout is the maximum time to open a connection.
	dialTimeout = 10 * time.Second
	// pingAfter is the time without data on an HTTP/2 connection after which the client
	// sends a ping. pingTimeout is the maximum time for the answer to a ping. After that,
	// the connection is closed and each request on it fails.
	pingAfter   = 15 * time.Second
	pingTimeout = 15 * time.Second
)

// NewTransport returns a transport for many requests to one host.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConnsPerHost = maxConcurrency
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout}
	return t
}

// connections are a client's connections to the service. They belong to transports, and
// an attempt uses the newest transport. After an attempt has timed out on a connection,
// later attempts use a new transport. An http.Transport alone would keep sending over an
// HTTP/2 connection that no longer answers.
type connections struct {
	open   func() http.RoundTripper // returns a transport without connections
	newest atomic.Pointer[http.RoundTripper]
}

func newConnections(open func() http.RoundTripper) *connections {
	c := &connections{open: open}
	first := open()
	c.newest.Store(&first)
	return c
}

// leave makes later attempts avoid all connections of a transport. Requests in flight on
// them continue, because one may create an instance and still receive its answer.
func (c *connections) leave(used *http.RoundTripper) {
	next := c.open()
	if !c.newest.CompareAndSwap(used, &next) {
		return // another attempt that timed out has already replaced it
	}
	closeIdle(used)
}

// closeIdle closes the connections of a transport that no request uses.
func closeIdle(of *http.RoundTripper) {
	if t, ok := (*of).(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// A notSentError is the error of an attempt that sent nothing over the network.
type notSentError struct{ error }

func (e *notSentError) Unwrap() error { return e.error }

// nothingSent reports whether an attempt failed before anything was sent: no connection
// to the service, or to a proxy in between, could be opened.
func nothingSent(err error) bool {
	var notSent *notSentError
	var op *net.OpError
	return errors.As(err, &notSent) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// isCertificateError reports whether the server's certificate could not be verified. A
// retry does not change that.
func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	return errors.As(err, &verification)
}
