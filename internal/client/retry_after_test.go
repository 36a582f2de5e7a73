package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An operation waits as long as the service asks, repeatedly, until its timeout.
func TestLongRetryAfterIsWaitedFor(t *testing.T) {
	operations := map[string]func(ctx context.Context, c *Client) error{
		"a mutation": func(ctx context.Context, c *Client) error {
			return second(transport.Do[object](ctx, c.sender, transport.Request{Method: http.MethodPost, Path: []string{"x"}, Body: object{}}))
		},
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
				inBubble(t, fmt.Sprint(name, status, row.told, row.lasts), func(t *testing.T) {
					c, wire := newTestClient(t, during(row.lasts, transporttest.AsksToWait(status, row.told), answer))
					ctx, cancel := lifetime.WithTimeout(t.Context(), "create", row.timeout)
					defer cancel()
					begun := time.Now()
					err := operation(ctx, c)
					took := time.Since(begun)
					if row.ok != (err == nil) || !row.ok && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("operation: got error %v, want success: %t", err, row.ok)
					}
					if row.ok && (took < row.lasts || took > row.lasts+row.told) || !row.ok && took > row.timeout {
						t.Errorf("the operation: got an end after %s, want one from %s to %s, and a failure within %s", took, row.lasts, row.lasts+row.told, row.timeout)
					}
					if n := len(wire.Requests()); n > 5 {
						t.Errorf("requests: got %d, want at most 5", n)
					}
					cancel()
					time.Sleep(row.lasts) // until the remaining goroutines end, too
				})
			}
		}
	}
}

// After the time for which the service asked to be left alone, failures of a wait have
// their full limit again. Without a timeout, a wait ends immediately if that time is too
// long.
func TestWaitHeedsRetryAfter(t *testing.T) {
	const told = 5 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		done := says(200, object{"id": "j", "status": "done"})
		c, _ := newTestClient(t, during(told, transporttest.AsksToWait(503, told), during(told+time.Minute, gateway(502), done)))
		must.Report(t, c.WaitJob(within(t, time.Hour), "i", Pending{JobID: "j"}, OpConsole, nil))
	})
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, transporttest.AsksToWait(503, time.Hour))
		begun := time.Now()
		err := c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil)
		if !errors.Is(err, ErrUnavailable) || len(wire.Times()) != 1 || time.Since(begun) > 10*time.Second {
			t.Errorf("WaitJob: got error %v after %d requests in %s, want ErrUnavailable after one within 10 s", err, len(wire.Times()), time.Since(begun))
		}
	})
}

// Failures before a long time that the service asked for do not count after it.
func TestFailuresBeforeALongRetryAfterAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		page, asks := transporttest.Gateway(502), transporttest.AsksToWait(503, 5*time.Minute)
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch polls++; polls {
			case 1, 3:
				page(w, r)
			case 2:
				asks(w, r)
			default:
				respond(w, 200, object{"id": "j-1", "status": "done"})
			}
		})
		ctx, cancel := lifetime.WithTimeout(t.Context(), "create", time.Hour)
		defer cancel()
		if err := c.WaitJob(ctx, "i", Pending{JobID: "j-1"}, OpConsole, nil); err != nil || polls != 4 {
			t.Errorf("got error %v after %d polls, want none after 4", err, polls)
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
		must.Report(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil))
		if took := time.Since(startOfBubble()); took > time.Minute {
			t.Errorf("the waits: got an end after %s, want one within a minute", took)
		}
	})
}
