package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// newRetrying returns the first link of the chain. It sends a call again if its method
// and its outcome allow that.
func newRetrying(rt http.RoundTripper, retries int, limiter *limiter, random *Random) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport: rt,
			// A redirect could send the key to another host. The redirect is returned as an error.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax: math.MaxInt32, // CheckRetry counts
		CheckRetry: func(ctx context.Context, _ *http.Response, err error) (bool, error) {
			return checkRetry(ctx, callOf(ctx), err, retries, limiter), nil
		},
		Backoff: func(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
			return backoff(random, attempt, resp)
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// checkRetry decides after an attempt whether the call is sent again.
func checkRetry(ctx context.Context, call *Call, err error, retries int, limiter *limiter) bool {
	if lifetime.Ended(ctx) {
		return false // if an answer arrived anyway, it is the result
	}
	var refusal *APIError
	if call.answer != nil {
		refusal = call.answer.refusal
	}
	if refusal != nil && !call.mayWaitFor(ctx, refusal, refusal.RetryAfter) {
		return false
	}
	if refusal != nil && refusal.Limited() {
		// Nothing was done, and the limiter slows down all calls. A call ends here only if no
		// call has succeeded for too long.
		return !limiter.stalled(ctx)
	}
	if call.Poll {
		return false
	}
	again := sendsAgain(call.Method, refusal, err) || err == nil && refusal == nil && call.Method != http.MethodPost && call.answer.isCut()
	if !again || call.retries >= retries {
		return false
	}
	call.retries++
	call.Unsure = call.Unsure || !call.SurelyNotDone()
	return true
}

// isCut reports whether an answer begins as JSON but is incomplete. A proxy returns such
// an answer if the connection behind it broke.
func (a *answer) isCut() bool {
	if a == nil {
		return false
	}
	body := bytes.TrimSpace(a.body)
	return len(body) > 0 && (body[0] == '{' || body[0] == '[') && !json.Valid(body)
}

// sendsAgain reports whether a request may be sent again after an error or a refusal.
// GET, PUT, PATCH and DELETE can safely be sent twice. A POST is sent again only if the
// first one was certainly not executed.
func sendsAgain(method string, refusal *APIError, err error) bool {
	if err != nil {
		var pausing *APIError
		switch {
		case isCertificateError(err), errors.Is(err, ErrBodyTooLarge), errors.Is(err, ErrOutage),
			errors.Is(err, errStalled), errors.As(err, new(*ClosedError)), errors.As(err, &pausing):
			return false // a retry would end the same way
		}
		return method != http.MethodPost || nothingSent(err)
	}
	if refusal == nil {
		return false
	}
	if method == http.MethodPost {
		return refusal.Status == http.StatusServiceUnavailable && refusal.NothingDone()
	}
	switch refusal.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		520, 521, 522, 523, 524: // of a gateway that cannot reach its origin
		return true
	case http.StatusNotFound, http.StatusGone:
		return refusal.Foreign() // a gateway that is being reconfigured
	case http.StatusInternalServerError:
		return method == http.MethodGet
	}
	return false
}
