package transport

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	backoffBase = 500 * time.Millisecond
	backoffCap  = 30 * time.Second
	// retryAfterCap is the longest Retry-After that is used.
	retryAfterCap = 24 * time.Hour
)

// backoff returns the pause before a call is sent again. The pause is exponential with
// full jitter, so that workers that were refused together do not retry together. If the
// answer says when to come back, the limiter (429) or the path (503) is closed until
// then, and the pause only adds jitter.
func backoff(random *Random, attempt int, resp *http.Response) time.Duration {
	if resp != nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable && retryAfter(resp.Header) > 0) {
		return random.UpTo(backoffBase)
	}
	ceiling := backoffCap
	if attempt < 16 {
		ceiling = min(backoffCap, backoffBase<<attempt)
	}
	return random.UpTo(ceiling)
}

// retryAfter parses a Retry-After header, in seconds or as a date relative to the
// answer's own Date (RFC 9110, section 10.2.3). The maximum is a day, which a number too
// large for int64 is, too. A missing or invalid header is zero.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(max(0, seconds), int64(retryAfterCap/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(0, at.Sub(now)), retryAfterCap)
}
