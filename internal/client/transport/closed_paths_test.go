package transport

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The Retry-After of a 503 delays all requests of its path, regardless of method and
// query, and no others. The Retry-After of a 429 delays all requests.
func TestWhomARetryAfterHolds(t *testing.T) {
	const told = 30 * time.Second
	read := func(query map[string][]string, path ...string) Request {
		return Request{Method: http.MethodGet, Path: path, Query: query}
	}
	for _, row := range []struct {
		name   string
		status int
		next   Request
		held   bool
	}{
		{"the same request", 503, Request{Method: http.MethodPost, Path: []string{"x"}}, true},
		{"another method", 503, read(nil, "x"), true},
		{"another query", 503, read(map[string][]string{"cursor": {"c"}}, "x"), true},
		{"a path below", 503, read(nil, "x", "y"), false},
		{"another path", 503, read(nil, "me"), false},
		{"the same request", 429, Request{Method: http.MethodPost, Path: []string{"x"}}, true},
		{"another path", 429, read(nil, "me"), true},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, transport := newTestSender(t, during(told, transporttest.AsksToWait(row.status, told), says(200, object{})))
			refused := make(chan error)
			go func() { refused <- post(t.Context(), c) }()
			synctest.Wait()
			if !row.held {
				transport.SetHandler(says(200, object{})) // only one path is refused
			}
			begun := time.Now()
			if _, err := Do[object](t.Context(), c, row.next); err != nil {
				t.Errorf("%d, %s: got error %v, want none", row.status, row.name, err)
			}
			if took := time.Since(begun); row.held != (took >= told) || took > told+time.Second {
				t.Errorf("%d, %s: got an answer after %s, want one after %s if it is held (%t), and otherwise at once", row.status, row.name, took, told, row.held)
			}
			must.Report(t, <-refused)
			if took := time.Since(begun); took < told || took > told+time.Second || len(transport.Times()) != 3 {
				t.Errorf("%d, %s: got %d requests, the last after %s, want 3, the last after %s", row.status, row.name, len(transport.Times()), took, told)
			}
		})
	}
}

// Requests that wait for the limiter when their path is closed are not sent.
func TestQueuedRequestsHeedAClosedPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const told = 30 * time.Second
		answer := during(told, transporttest.AsksToWait(503, told), says(200, object{}))
		c, transport := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Millisecond) // so that all wait for the limiter
			answer(w, r)
		}, func(o *Options) { o.RequestsPerSecond = 2 })
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				must.Report(t, post(t.Context(), c))
			})
		}
		all.Wait()
		if n := len(transport.Times()); n != 11 {
			t.Errorf("requests: got %d, want 11", n)
		}
		wantAllPlacesFree(t, c)
	})
}

// If a path is closed while one of its reads probes for the end of an outage, only reads
// of that path are delayed.
func TestClosedPathHoldsNoProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := true
		closed := transporttest.Maintenance(15 * time.Second)
		c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/api/v1/instances/i":
				closed(w, r)
			case away:
				gatewayPage(w, 502)
			default:
				respond(w, 200, object{"id": "me"})
			}
		})
		ask := func() {
			_, _ = Do[object](t.Context(), c, Request{Method: http.MethodGet, Path: []string{"instances", "i"}})
		}
		for time.Since(startOfBubble()) < outageLimit {
			_ = readMe(t.Context(), c)
			if time.Since(startOfBubble()) > outageLimit-5*time.Second {
				go ask() // closes the path
			}
			time.Sleep(time.Second)
		}
		time.Sleep(outageProbe)
		go ask() // would be the probe
		synctest.Wait()
		away = false
		begun := time.Now()
		if err := readMe(t.Context(), c); err != nil || time.Since(begun) > time.Second {
			t.Errorf("GET: got error %v after %s, want none within 1s", err, time.Since(begun))
		}
		time.Sleep(time.Minute) // for the remaining requests
	})
}

// Refusals of one path do not change the client's pace.
func TestClosedPathIsNoRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") })
		for time.Since(startOfBubble()) < 2*stallTime {
			_ = post(t.Context(), c)
		}
		l := limiterOf(c)
		if l.rate.Limit() != rate.Inf || l.refusals != 0 || l.stalled(t.Context()) {
			t.Errorf("the limiter: got %g requests per second after %d refusals, want no limit and none", l.rate.Limit(), l.refusals)
		}
	})
}

// Work without a timeout, such as a refresh, waits for ten minutes at most, and returns
// the service's refusal.
func TestLongRetryAfterWithoutATimeout(t *testing.T) {
	for _, status := range []int{429, 503} {
		for _, row := range []struct {
			told, lasts, takes time.Duration
			ok                 bool
		}{
			{5 * time.Minute, 5 * time.Minute, 5 * time.Minute, true},
			{time.Hour, time.Hour, 0, false},
		} {
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestSender(t, during(row.lasts, transporttest.AsksToWait(status, row.told), says(200, object{"id": "me"})))
				for round := range 2 {
					begun := time.Now()
					err := readMe(t.Context(), c)
					refused := errors.Is(err, ErrRateLimited) || errors.Is(err, errUnavailable)
					if row.ok != (err == nil) || !row.ok && (!refused || round == 0 && errors.Is(err, ErrUnreachable)) {
						t.Errorf("%d: got error %v, want success: %t", status, err, row.ok)
					}
					if took := time.Since(begun); !row.ok && took > time.Second || row.ok && took > row.takes+time.Second {
						t.Errorf("%d: got an end after %s, want one within %s if the wait is kept (%t), and otherwise within 1s", status, took, row.takes+time.Second, row.ok)
					}
				}
				if n := len(transport.Requests()); !row.ok && n != 1 {
					t.Errorf("%d: got %d requests, want 1, as the service asked to wait", status, n)
				}
			})
		}
	}
}

// A service that asks to wait repeatedly ends work without a timeout.
func TestRepeatedRetryAfterWithoutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestSender(t, transporttest.AsksToWait(429, 5*time.Minute))
		if err := readMe(t.Context(), c); !errors.Is(err, ErrRateLimited) || len(transport.Times()) != 2 {
			t.Errorf("GET: got error %v after %d requests, want ErrRateLimited after 2", err, len(transport.Times()))
		}
	})
}

// TestWhatMayWait asks whether a call may wait as long as a refusal requires.
func TestWhatMayWait(t *testing.T) {
	read, write, poll := Call{Request: Request{Method: http.MethodGet}}, Call{Request: Request{Method: http.MethodPost}}, Call{Request: Request{Method: http.MethodGet, Poll: true}}
	informs := read
	informs.Informs = true
	gateway, service := APIError{Status: 503}, APIError{Status: 503, Code: "unavailable"}
	tooMany := APIError{Status: 429}
	for _, row := range []struct {
		call    Call
		refusal APIError
		told    time.Duration
		want    bool
	}{
		{read, gateway, outageLimit, true},
		{read, gateway, outageLimit + 1, false},
		{read, service, outageLimit + 1, true},
		{read, tooMany, outageLimit + 1, true},
		{write, gateway, outageLimit + 1, true},
		{poll, gateway, outageLimit + 1, true},
		{informs, gateway, time.Second, false},
		{informs, service, time.Second, false},
		{informs, tooMany, time.Second, true},
		{read, service, lifetime.MaxWait, true},
		{read, service, lifetime.MaxWait + 1, false},
	} {
		if got := row.call.mayWaitFor(t.Context(), &row.refusal, row.told); got != row.want {
			t.Errorf("%s, %d %s for %s: got %t, want %t", row.call.Method, row.refusal.Status, row.refusal.Code, row.told, got, row.want)
		}
	}
}
