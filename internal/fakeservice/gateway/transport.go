package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// ErrConnectionClosed is what a client of a Transport gets for a connection that
// was closed without an answer.
var ErrConnectionClosed = errors.New("the connection was closed without an answer")

// Transport is a network without sockets: an http.RoundTripper whose requests a
// handler answers, in this process. It works in a bubble of testing/synctest.
//
// A handler that panics with http.ErrAbortHandler closes the connection: before
// its answer has begun, the client gets ErrConnectionClosed; after that, the
// body ends with io.ErrUnexpectedEOF, as it does where less comes than
// Content-Length says. A client that gives up cancels the context of the request
// that the handler sees; the handler itself goes on.
type Transport struct{ Handler http.Handler }

// RoundTrip sends a request to the handler.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, leave := context.WithCancel(r.Context())
	seen := r.Clone(ctx)
	if seen.Body == nil {
		seen.Body = http.NoBody
	}
	if seen.Host == "" {
		seen.Host = seen.URL.Host
	}
	seen.RequestURI = seen.URL.RequestURI()
	seen.RemoteAddr = "127.0.0.1:1" // as a program on this machine
	w := &connection{header: http.Header{}, begun: make(chan struct{}), more: make(chan struct{}, 1), ctx: ctx}
	go func() {
		defer seen.Body.Close()
		defer func() {
			reason := recover()
			//nolint:errorlint // the handler panics with this very value
			if reason != nil && reason != http.ErrAbortHandler {
				panic(reason)
			}
			w.end(reason != nil)
		}()
		t.Handler.ServeHTTP(w, seen)
	}()
	select {
	case <-w.begun:
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
	if w.status == 0 {
		leave()
		return nil, ErrConnectionClosed
	}
	return &http.Response{
		Status:     strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.sent,
		Body:          body{w, leave},
		ContentLength: w.length,
		Request:       r,
	}, nil
}

// connection is both ends of an answer. It holds what is written until it is
// read, so that a handler never waits for its client.
type connection struct {
	header http.Header
	// begun is closed when the answer has begun or will never come. status, sent
	// and length are settled by then; status is 0 where none will come.
	begun  chan struct{}
	status int
	sent   http.Header
	length int64 // -1 where it is not announced
	// ctx ends when the client leaves.
	ctx context.Context

	mu      sync.Mutex
	held    bytes.Buffer
	written int64
	over    error         // why no more comes
	more    chan struct{} // tells the reader to look again
}

func (c *connection) Header() http.Header { return c.header }

func (c *connection) WriteHeader(status int) {
	if c.status != 0 {
		return
	}
	c.status, c.sent, c.length = status, c.header.Clone(), -1
	if n, err := strconv.ParseInt(c.sent.Get("Content-Length"), 10, 64); err == nil {
		c.length = n
	}
	close(c.begun)
}

func (c *connection) Write(piece []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written += int64(len(piece))
	c.held.Write(piece)
	c.tell()
	return len(piece), nil
}

// Flush does nothing, as what is written can be read at once.
func (c *connection) Flush() {}

// end is called when the handler has returned, or aborted the connection.
func (c *connection) end(aborted bool) {
	if !aborted {
		c.WriteHeader(http.StatusOK)
	} else if c.status == 0 {
		close(c.begun)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = io.EOF
	if aborted || c.written < c.length {
		c.over = io.ErrUnexpectedEOF
	}
	c.tell()
}

// tell wakes the reader up. The lock is held.
func (c *connection) tell() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// body is the client's end.
type body struct {
	*connection
	leave context.CancelFunc
}

func (b body) Read(into []byte) (int, error) {
	for {
		n, err := b.take(into)
		if n > 0 || err != nil {
			return n, err
		}
		select {
		case <-b.more:
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
}

func (b body) take(into []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held.Len() > 0 {
		return b.held.Read(into)
	}
	return 0, b.over
}

// Close tells the handler that the client has gone.
func (b body) Close() error {
	b.leave()
	return nil
}
