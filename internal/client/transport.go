package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// A sender sends a request, again where its method allows.
type sender interface {
	Do(*retryablehttp.Request) (*http.Response, error)
}

// newSenders makes a sender per HTTP method, and one that sends once.
func newSenders(rt http.RoundTripper, retries int) (byMethod map[string]sender, once sender) {
	plain := &http.Client{
		Transport: rt,
		// A redirect could carry the key to another host. The answer is shown
		// as the error that it is.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	with := func(policy retryablehttp.CheckRetry, retries int) sender {
		return &retryablehttp.Client{
			HTTPClient:   plain,
			RetryMax:     retries,
			RetryWaitMin: backoffBase,
			RetryWaitMax: backoffCap,
			CheckRetry:   policy,
			Backoff:      backoff,
			ErrorHandler: retryablehttp.PassthroughErrorHandler,
		}
	}
	return map[string]sender{
		http.MethodGet:    with(retryRead, retries),
		http.MethodPut:    with(retryIdempotent, retries),
		http.MethodPatch:  with(retryIdempotent, retries),
		http.MethodDelete: with(retryIdempotent, retries),
		http.MethodPost:   with(retryPost, retries),
	}, with(retryNever, 0)
}

func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}

// An exchange carries one attempt of one request. It bounds it in time, logs
// it, and keeps Terraform's cancellation away from a mutation in flight:
// dropping a POST would drop its answer, and with it the id of a machine that
// is being paid for.
type exchange struct {
	next    http.RoundTripper
	timeout time.Duration
	clock   *serverClock
	log     func(ctx context.Context, message string, fields map[string]any)
	secrets *secrets
}

func (e *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	caller := req.Context()
	if err := caller.Err(); err != nil {
		return nil, err // not sent
	}
	ctx := caller
	if req.Method != http.MethodGet {
		ctx = context.WithoutCancel(caller)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, e.timeout, errRequestTimeout)
	begun := time.Now()
	resp, err := e.next.RoundTrip(req.WithContext(ctx))
	fields := map[string]any{
		"method":      req.Method,
		"path":        e.secrets.hide(req.URL.EscapedPath()),
		"duration_ms": time.Since(begun).Milliseconds(),
	}
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errRequestTimeout) {
			err = cause
		}
		cancel()
		fields["error"] = e.secrets.hide(err.Error())
		e.log(caller, "request failed", fields)
		return nil, err
	}
	e.clock.observe(resp.Header)
	fields["status"] = resp.StatusCode
	fields["size"] = resp.ContentLength
	e.log(caller, "request answered", fields)
	resp.Body = &cancellingBody{ReadCloser: resp.Body, cancel: cancel}
	return resp, nil
}

var errRequestTimeout = errors.New("the request timed out")

// cancellingBody ends the attempt's context when the body is closed.
type cancellingBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *cancellingBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// nothingSent tells whether a request failed before any of it was sent.
func nothingSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
