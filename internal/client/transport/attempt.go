package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// maxBody is the maximum size of a response body in bytes.
const maxBody = 4 << 20

// attempts is the last link of the chain. It waits for permission to send, sends one
// attempt of a call, and reads the whole response: a body that is cut off is a failed
// attempt like any other. It does not pass Terraform's cancellation to a mutation in
// flight. Aborting a POST would lose its response, and with it the id of a machine that
// is already being billed.
type attempts struct {
	connections *connections
	timeout     time.Duration
	limiter     *limiter
	paths       *closedPaths
	outage      *outage
	log         func(ctx context.Context, message string, fields map[string]any)
	secrets     *Secrets
}

// RoundTrip sends an attempt and stores the response in the call.
func (a *attempts) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	caller := req.Context()
	call := callOf(caller)
	call.answer = nil
	defer func() { call.err = err }()
	path := req.URL.EscapedPath()
	timeout, err := a.turn(caller, call, path)
	if err != nil {
		return nil, &notSentError{err}
	}
	defer a.outage.release(call)
	call.attempts++
	ctx := caller
	if call.Method != http.MethodGet {
		ctx = lifetime.Detached(caller)
	}
	if call.Statement {
		a.limiter.release()
	} else {
		defer a.limiter.release()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errRequestTimeout)
		defer cancel()
	}
	ctx, noConnection := traceConnection(ctx)
	begun := time.Now()
	transport := a.connections.newest.Load()
	resp, err = (*transport).RoundTrip(req.WithContext(ctx))
	if err == nil {
		call.answer, err = readAnswer(call.Request, req.URL, resp, a.secrets)
	}
	timedOut := errors.Is(context.Cause(ctx), errRequestTimeout)
	if timedOut && !noConnection() {
		a.connections.leave(transport)
	}
	if err != nil && timedOut {
		err = errRequestTimeout
	}
	if err != nil && noConnection() {
		err = &notSentError{err}
	}
	a.limiter.learn(begun, call.answer)
	a.paths.note(path, call.answer)
	a.outage.note(caller, call, err)
	a.report(caller, req, call, time.Since(begun), err)
	if err != nil {
		return nil, err
	}
	resp.Body = http.NoBody
	return resp, nil
}

// turn waits until a call may be sent, and returns the time that the attempt may take. On
// success the caller must release the limiter and the outage.
func (a *attempts) turn(ctx context.Context, call *Call, path string) (time.Duration, error) {
	for {
		if err := a.paths.wait(ctx, call, path); err != nil {
			return 0, err
		}
		timeout, err := a.outage.admit(ctx, call, a.timeout)
		if err != nil {
			return 0, err
		}
		if err := a.limiter.enter(ctx); err != nil {
			a.outage.release(call)
			return 0, err
		}
		if _, refusal := a.paths.closedFor(path); refusal == nil {
			return timeout, nil
		}
		a.limiter.release() // the path was closed while the call waited
		a.outage.release(call)
	}
}

// report logs an attempt. It logs the size of the response body, but no content.
func (a *attempts) report(ctx context.Context, req *http.Request, call *Call, duration time.Duration, err error) {
	fields := map[string]any{
		"method":      req.Method,
		"path":        a.secrets.Hide(req.URL.EscapedPath()),
		"attempt":     call.attempts,
		"duration_ms": duration.Milliseconds(),
	}
	if err != nil {
		fields["error"] = a.secrets.Hide(err.Error())
		a.log(ctx, "request failed", fields)
		return
	}
	fields["status"], fields["size"] = call.answer.status, len(call.answer.body)
	if id := requestID(call.answer.header); id != "" {
		fields["request_id"] = id
	}
	a.log(ctx, "request answered", fields)
}

// readAnswer reads a response to its end. A refusal counts even if its body is cut off.
func readAnswer(r Request, target *url.URL, resp *http.Response, secrets *Secrets) (*answer, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	a := &answer{status: resp.StatusCode, header: resp.Header, body: bytes.TrimPrefix(body, byteOrderMark)}
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		a.refusal = newAPIError(r, target, a, secrets)
	case r.Statement: // it has run, so the rest of its result is not needed
		_, _ = io.Copy(io.Discard, resp.Body)
	case err != nil:
		return nil, fmt.Errorf("the answer was cut off: %w", err)
	case len(body) > maxBody:
		return nil, ErrBodyTooLarge
	}
	return a, nil
}

// byteOrderMark begins the JSON of some servers, although JSON has none (RFC 8259, section 8.1).
var byteOrderMark = []byte("\xef\xbb\xbf")

var errRequestTimeout = errors.New("the request timed out")

// traceConnection returns a function that reports whether the transport asked for a
// connection and got none. In that case nothing was sent. The function returns false if
// the transport does not support tracing.
func traceConnection(ctx context.Context) (context.Context, func() bool) {
	var wanted, got atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { wanted.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	}), func() bool { return wanted.Load() && !got.Load() }
}
