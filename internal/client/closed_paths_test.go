package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// asksToWait refuses with a status and a Retry-After.
func asksToWait(status int, told time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprint(int(told.Seconds())))
		code := "unavailable"
		if status == http.StatusTooManyRequests {
			code = "rate_limited"
		}
		refuse(w, status, code)
	}
}

// maintenance answers with a gateway's page and a Retry-After.
func maintenance(told time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprint(int(told.Seconds())))
		gatewayPage(w, 503)
	}
}

// The Retry-After of a 503 delays all requests of its path, regardless of method and
// query, and no others. The Retry-After of a 429 delays all requests.
func TestWhomARetryAfterHolds(t *testing.T) {
	const told = 30 * time.Second
	read := func(query map[string][]string, path ...string) request {
		return request{method: http.MethodGet, path: path, query: query}
	}
	for _, row := range []struct {
		name   string
		status int
		next   request
		held   bool
	}{
		{"the same request", 503, request{method: http.MethodPost, path: []string{"x"}}, true},
		{"another method", 503, read(nil, "x"), true},
		{"another query", 503, read(map[string][]string{"cursor": {"c"}}, "x"), true},
		{"a path below", 503, read(nil, "x", "y"), false},
		{"another path", 503, read(nil, "me"), false},
		{"the same request", 429, request{method: http.MethodPost, path: []string{"x"}}, true},
		{"another path", 429, read(nil, "me"), true},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, transport := newTestClient(t, during(told, asksToWait(row.status, told), says(200, object{})))
			refused := make(chan error)
			go func() { refused <- post(t.Context(), c) }()
			synctest.Wait()
			if !row.held {
				transport.SetHandler(says(200, object{})) // only one path is refused
			}
			begun := time.Now()
			if _, err := do[object](t.Context(), c.sender, row.next); err != nil {
				t.Errorf("%d, %s: %v", row.status, row.name, err)
			}
			if took := time.Since(begun); row.held != (took >= told) || took > told+time.Second {
				t.Errorf("%d, %s: answered after %s", row.status, row.name, took)
			}
			if err := <-refused; err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took < told || took > told+time.Second || len(transport.Times()) != 3 {
				t.Errorf("%d, %s: %d requests, the last after %s", row.status, row.name, len(transport.Times()), took)
			}
		})
	}
}

// Requests that wait for the limiter when their path is closed are not sent.
func TestQueuedRequestsHeedAClosedPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const told = 30 * time.Second
		answer := during(told, asksToWait(503, told), says(200, object{}))
		c, transport := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Millisecond) // so that all wait for the limiter
			answer(w, r)
		}, func(o *Options) { o.RequestsPerSecond = 2 })
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := post(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := len(transport.Times()); n != 11 {
			t.Errorf("%d requests, want 11", n)
		}
		if underway, waiting := places(c); underway != 0 || waiting != 0 {
			t.Errorf("%d under way, %d waiting", underway, waiting)
		}
	})
}

// If a path is closed while one of its reads probes for the end of an outage, only reads
// of that path are delayed.
func TestClosedPathHoldsNoProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := true
		closed := maintenance(15 * time.Second)
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
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
			_, _ = do[object](t.Context(), c.sender, request{method: http.MethodGet, path: []string{"instances", "i"}})
		}
		for time.Since(startOfBubble()) < outageLimit {
			_, _ = c.Account(t.Context())
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
		if _, err := c.Account(t.Context()); err != nil || time.Since(begun) > time.Second {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		time.Sleep(time.Minute) // for the remaining requests
	})
}

// Refusals of one path do not change the client's pace.
func TestClosedPathIsNoRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") })
		for time.Since(startOfBubble()) < 2*stallTime {
			_ = post(t.Context(), c)
		}
		l := c.sender.http.HTTPClient.Transport.(*attempts).limiter
		if l.window != startConcurrency || l.refusals != 0 || l.stalled(t.Context()) {
			t.Errorf("a window of %v after %d refusals", l.window, l.refusals)
		}
	})
}

// An operation waits as long as the service asks, repeatedly, until its timeout.
func TestLongRetryAfterIsWaitedFor(t *testing.T) {
	operations := map[string]func(ctx context.Context, c *Client) error{
		"a mutation": post,
		"a read": func(ctx context.Context, c *Client) error {
			_, err := c.Instance(lifetime.WithGracePeriod(ctx), "i")
			return err
		},
		"a shared read": func(ctx context.Context, c *Client) error {
			_, err := c.existing(lifetime.WithGracePeriod(ctx))
			return err
		},
		"a wait": func(ctx context.Context, c *Client) error {
			return c.WaitJob(ctx, "i", Pending{JobID: "i"}, OpConsole, nil)
		},
	}
	answer := says(200, object{"id": "i", "status": "done", "instances": []object{}})
	for name, operation := range operations {
		for _, status := range []int{429, 503} {
			for _, row := range []struct {
				told, lasts, timeout time.Duration
				ok                   bool
			}{
				{5 * time.Minute, 5 * time.Minute, time.Hour, true},
				{5 * time.Minute, 14 * time.Minute, time.Hour, true},
				{30 * time.Minute, 30 * time.Minute, time.Hour, true},
				{30 * time.Minute, 2 * time.Hour, time.Hour, false},
				{24 * time.Hour, 24 * time.Hour, time.Hour, false},
			} {
				t.Run(fmt.Sprint(name, status, row.told, row.lasts), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c, transport := newTestClient(t, during(row.lasts, asksToWait(status, row.told), answer))
						ctx, cancel := lifetime.WithTimeout(t.Context(), "create", row.timeout)
						defer cancel()
						begun := time.Now()
						err := operation(ctx, c)
						took := time.Since(begun)
						if row.ok != (err == nil) || !row.ok && !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("operation: got error %v, want success: %t", err, row.ok)
						}
						if row.ok && (took < row.lasts || took > row.lasts+row.told) || !row.ok && took > row.timeout {
							t.Errorf("it took %s", took)
						}
						if n := len(transport.Requests()); n > 5 {
							t.Errorf("%d requests", n)
						}
						cancel()
						time.Sleep(row.lasts) // until the remaining goroutines end, too
					})
				})
			}
		}
	}
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
				c, transport := newTestClient(t, during(row.lasts, asksToWait(status, row.told), says(200, object{"id": "me"})))
				for round := range 2 {
					begun := time.Now()
					_, err := c.Account(t.Context())
					refused := errors.Is(err, ErrRateLimited) || errors.Is(err, ErrUnavailable)
					if row.ok != (err == nil) || !row.ok && (!refused || round == 0 && errors.Is(err, ErrUnreachable)) {
						t.Errorf("%d: %v", status, err)
					}
					if took := time.Since(begun); !row.ok && took > time.Second || row.ok && took > row.takes+time.Second {
						t.Errorf("%d: it took %s", status, took)
					}
				}
				if n := len(transport.Requests()); !row.ok && n != 1 {
					t.Errorf("%d: %d requests, though the service asked to wait", status, n)
				}
			})
		}
	}
}

// A service that asks to wait repeatedly ends work without a timeout.
func TestRepeatedRetryAfterWithoutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t, asksToWait(429, 5*time.Minute))
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrRateLimited) || len(transport.Times()) != 2 {
			t.Errorf("%d requests: %v", len(transport.Times()), err)
		}
	})
}

// After the time for which the service asked to be left alone, failures of a wait have
// their full limit again. Without a timeout, a wait ends immediately if that time is too
// long.
func TestWaitHeedsRetryAfter(t *testing.T) {
	const told = 5 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		done := says(200, object{"id": "j", "status": "done"})
		c, _ := newTestClient(t, during(told, asksToWait(503, told), during(told+time.Minute, gateway(502), done)))
		if err := c.WaitJob(within(t, time.Hour), "i", Pending{JobID: "j"}, OpConsole, nil); err != nil {
			t.Error(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t, asksToWait(503, time.Hour))
		begun := time.Now()
		err := c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil)
		if !errors.Is(err, ErrUnavailable) || len(transport.Times()) != 1 || time.Since(begun) > 10*time.Second {
			t.Errorf("%d requests in %s: %v", len(transport.Times()), time.Since(begun), err)
		}
	})
}

// The header has a meaning only with 429 and 503.
func TestRetryAfterOfOtherRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "86400")
			gatewayPage(w, 502)
		}
		c, _ := newTestClient(t, inTurn(later, says(200, object{"id": "me"}), later, says(200, object{"id": "j", "status": "done"})))
		if _, err := c.Account(t.Context()); err != nil {
			t.Error(err)
		}
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil); err != nil {
			t.Error(err)
		}
		if took := time.Since(startOfBubble()); took > time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}
