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

// ErrConnectionClosed is the error of a Transport when the connection was closed without an
// answer.
var ErrConnectionClosed = errors.New("the connection was closed without an answer")

// Transport is a network without sockets: an http.RoundTripper whose requests a handler
// answers in this process. It works in a bubble of testing/synctest.
//
// A handler that panics with http.ErrAbortHandler closes the connection. Before its answer
// has begun, the client gets ErrConnectionClosed. Afterwards the body ends with
// io.ErrUnexpectedEOF, like a body that is shorter than Content-Length says. A client that
// gives up cancels the context of the handler's request, but the handler itself continues.
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
	seen.RemoteAddr = "127.0.0.1:1" // like a program on this machine
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

// connection is both ends of an answer. It buffers unread output, so that a handler never
// waits for its client.
type connection struct {
	header http.Header
	// begun is closed when the answer has begun or will never begin. status, sent and
	// length are final by then; status is 0 if there will be no answer.
	begun  chan struct{}
	status int
	sent   http.Header
	length int64 // -1 if it is not announced
	// ctx ends when the client leaves.
	ctx context.Context

	mu      sync.Mutex
	held    bytes.Buffer
	written int64
	over    error         // why the body ended
	more    chan struct{} // wakes the reader
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

// Flush does nothing, because output is readable immediately.
func (c *connection) Flush() {}

// end is called when the handler has returned or aborted the connection.
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

// tell wakes the reader. The caller holds the lock.
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

// Close signals to the handler that the client has left.
func (b body) Close() error {
	b.leave()
	return nil
}
