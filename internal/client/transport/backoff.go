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
	// leastUnixTime is the least number of a Retry-After that is a Unix time and not a number
	// of seconds. As seconds it would be three years.
	leastUnixTime = 100_000_000
)

// backoff returns the pause before a call is sent again. The pause is exponential with
// full jitter, so that workers that were refused together do not retry together. If the
// answer says when to come back, the limiter (a limit) or the path (503) is closed until
// then, and the pause only adds jitter.
func backoff(random *Random, attempt int, resp *http.Response) time.Duration {
	if resp != nil {
		told := retryAfter(resp.Header)
		if isLimit(resp.StatusCode, told) || resp.StatusCode == http.StatusServiceUnavailable && told > 0 {
			return random.UpTo(backoffBase)
		}
	}
	ceiling := backoffCap
	if attempt < 16 {
		ceiling = min(backoffCap, backoffBase<<attempt)
	}
	return random.UpTo(ceiling)
}

// retryAfter parses a Retry-After header: seconds, or a date or a Unix time relative to the
// answer's own Date (RFC 9110, section 10.2.3). The maximum is a day, which a number too
// large for int64 is, too. A missing or invalid header is zero.
func retryAfter(header http.Header) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0
		}
		if seconds < leastUnixTime {
			return time.Duration(min(max(0, seconds), int64(retryAfterCap/time.Second))) * time.Second
		}
		at = time.Unix(min(seconds, 1<<40), 0) // a Time cannot have them all
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(0, at.Sub(now)), retryAfterCap)
}
