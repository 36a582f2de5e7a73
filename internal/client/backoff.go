package client

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	backoffBase   = 500 * time.Millisecond
	backoffCap    = 30 * time.Second
	retryAfterCap = 60 * time.Second
)

// Which failures are tried again goes by the method: GET, PUT, PATCH and DELETE
// can be sent twice without harm; a POST only when the first was surely not
// carried out.

func retryRead(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if resp != nil && resp.StatusCode == http.StatusInternalServerError {
		return ctx.Err() == nil, nil
	}
	return retryIdempotent(ctx, resp, err)
}

func retryIdempotent(ctx context.Context, resp *http.Response, err error) (bool, error) {
	// An answer that came although the context has ended is the answer all the
	// same, so the context's error is not put in its place.
	if ended(ctx) {
		return false, nil
	}
	if err != nil {
		return !isCertificateError(err), nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, nil
	}
	return false, nil
}

func retryPost(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if err != nil {
		// Without the context's error in place of err: whether the request
		// went out is what the caller has to know.
		return ctx.Err() == nil && nothingSent(err), nil
	}
	return ctx.Err() == nil && resp.StatusCode == http.StatusTooManyRequests, nil
}

func retryNever(context.Context, *http.Response, error) (bool, error) { return false, nil }

// backoff is exponential with full jitter, so that workers that were refused
// together do not come back together. Retry-After is its minimum.
func backoff(base, limit time.Duration, attempt int, resp *http.Response) time.Duration {
	ceiling := limit
	if attempt < 16 {
		ceiling = min(limit, base<<attempt)
	}
	wait := rand.N(ceiling + 1)
	if resp != nil {
		if after := retryAfter(resp); after > 0 {
			// Jitter on top: everybody was told the same time.
			return after + rand.N(base)
		}
	}
	return wait
}

// retryAfter reads a Retry-After header, in seconds or as a date by the
// service's own clock. It is capped at a minute; what cannot be read is zero.
func retryAfter(resp *http.Response) time.Duration {
	value := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return min(max(0, time.Duration(min(seconds, 3600))*time.Second), retryAfterCap)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(0, at.Sub(now)), retryAfterCap)
}

func ended(ctx context.Context) bool { return ctx.Err() != nil }

// pause waits, or returns the context's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// isCertificateError tells a server that cannot prove who it is: asking again
// does not change that.
func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	return errors.As(err, &verification)
}
