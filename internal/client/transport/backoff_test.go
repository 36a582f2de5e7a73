package transport

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetryAfter(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0":                         0,
		"-1":                        0,
		"-9223372037":               0, // overflows a Duration in nanoseconds
		"7":                         7 * time.Second,
		"86400":                     retryAfterCap,
		"99999999999999999999":      retryAfterCap,
		"-99999999999999999999":     0,
		"junk":                      0,
		fmt.Sprint(date.Unix() + 9): 9 * time.Second,
		fmt.Sprint(date.Unix() - 9): 0,
		fmt.Sprint(date.AddDate(20, 0, 0).Unix()):               retryAfterCap,
		date.Add(9 * time.Second).Format(http.TimeFormat):       9 * time.Second,
		date.Add(-9 * time.Second).Format(http.TimeFormat):      0,
		date.Add(9 * 24 * time.Hour).Format(http.TimeFormat):    retryAfterCap,
		date.Add(9*time.Second).Format(time.RFC3339) + " Zulu ": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}, "Date": {date.Format(http.TimeFormat)}}); got != want {
			t.Errorf("retryAfter(%q) = %s, want %s", value, got, want)
		}
	}
}

// Without a Date, a Retry-After that is a time is relative to this machine's clock.
func TestRetryAfterWithoutADate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat)
		for _, date := range []string{"", "junk"} {
			if got := retryAfter(http.Header{"Retry-After": {at}, "Date": {date}}); got != 9*time.Second {
				t.Errorf("date %q: got %s, want 9s", date, got)
			}
		}
	})
}

func TestBackoffSpreadsAndIsCapped(t *testing.T) {
	random := NewRandom(nil)
	seen := map[time.Duration]bool{}
	for range 200 {
		wait := backoff(random, 3, nil)
		if wait < 0 || wait > 4*time.Second {
			t.Fatalf("the third wait: got %s, want from 0s to 4s", wait)
		}
		seen[wait] = true
	}
	if len(seen) < 100 {
		t.Errorf("different waits of 200: got %d, want at least 100", len(seen))
	}
	for _, attempt := range []int{15, 16, 60, 1 << 30} {
		if wait := backoff(random, attempt, nil); wait < 0 || wait > backoffCap {
			t.Errorf("wait %d: got %s, want from 0s to %s", attempt, wait, backoffCap)
		}
	}
	longest := time.Duration(0)
	for range 200 {
		longest = max(longest, backoff(random, 9, &http.Response{StatusCode: 502, Header: http.Header{"Retry-After": {"20"}}}))
	}
	if longest <= backoffBase {
		t.Errorf("the longest wait after a 502, which closes nothing: got %s, want more than %s", longest, backoffBase)
	}
	for _, status := range []int{429, 403, 503} {
		resp := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {"20"}}}
		if wait := backoff(random, 9, resp); wait > backoffBase {
			t.Errorf("%d: the wait on top of the 20 s that it asks for: got %s, want at most %s", status, wait, backoffBase)
		}
	}
}
