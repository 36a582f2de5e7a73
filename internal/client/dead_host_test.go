package client

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
)

// A plan against a host that is dead or not the service ends within 30 s, regardless of
// the number of resources.
func TestDeadHostEndsAPlan(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		err    error
		most   int // maximum number of requests
	}{
		"refuses connections": {says(refused, nil), transport.ErrUnreachable, 400},
		"swallows packets":    {says(silent, nil), transport.ErrUnreachable, 30},
		"drops connections":   {says(dropped, nil), transport.ErrUnreachable, 400},
		"foreign 404":         {gateway(404), transport.ErrForeign, 400},
		"foreign 503":         {gateway(503), transport.ErrForeign, 400},
		"maintenance":         {transporttest.Maintenance(time.Hour), transport.ErrForeign, 400},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, row.answer, func(o *Options) { o.MaxRetries = DefaultMaxRetries })
			begun := time.Now()
			var all sync.WaitGroup
			var next, own atomic.Int64
			for range 10 {
				all.Go(func() {
					for {
						n := next.Add(1)
						if n > 300 {
							return
						}
						_, err := c.RefreshInstance(t.Context(), fmt.Sprint("i-", n))
						if err == nil || errors.Is(err, ErrNotFound) || !contains(err.Error(), "https://hosting.example/api/v1") {
							t.Errorf("RefreshInstance: got error %v, want an error other than ErrNotFound that names the endpoint", err)
						}
						if errors.Is(err, row.err) {
							own.Add(1)
						}
					}
				})
			}
			all.Wait()
			took := time.Since(begun)
			t.Logf("%d requests in %s", len(wire.Requests()), took)
			if took > 30*time.Second || len(wire.Requests()) > row.most {
				t.Errorf("the reads: got %d requests in %s, want at most %d in 30 s", len(wire.Requests()), took, row.most)
			}
			if own.Load() != 300 {
				t.Errorf("errors that match %v: got %d, want 300", row.err, own.Load())
			}
		})
	}
}

// Even the first read of a host that drops packets ends within that time.
func TestOneReadOfADeadHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, says(silent, nil), func(o *Options) { o.MaxRetries = DefaultMaxRetries })
		begun := time.Now()
		_, err := c.Plans(t.Context())
		if took := time.Since(begun); !errors.Is(err, transport.ErrUnreachable) || took > 30*time.Second {
			t.Errorf("Plans: got error %v after %s, want ErrUnreachable within 30 s", err, took)
		}
	})
}

// Polls and requests of an operation have their own limits.
func TestOutageIsForPlainReadsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Bool
		away.Store(true)
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case away.Load():
				gatewayPage(w, 502)
			case r.URL.Path == "/api/v1/jobs/j":
				respond(w, 200, object{"id": "j", "status": "done"})
			default:
				respond(w, 200, object{"id": "i"})
			}
		})
		for time.Since(startOfBubble()) < 25*time.Second {
			_, _ = c.Account(t.Context())
			time.Sleep(time.Second)
		}
		if _, err := c.Account(t.Context()); !errors.Is(err, transport.ErrOutage) {
			t.Fatalf("Account: got error %v, want ErrOutage", err)
		}
		if _, err := c.job(t.Context(), "j", true); errors.Is(err, transport.ErrOutage) {
			t.Errorf("a poll: got error %v, want none of an outage", err)
		}
		if _, err := c.Instance(lifetime.WithGracePeriod(t.Context()), "i"); errors.Is(err, transport.ErrOutage) {
			t.Errorf("a read of an operation: got error %v, want none of an outage", err)
		}
		if _, err := transport.Do[object](t.Context(), c.sender, transport.Request{Method: http.MethodPut, Path: []string{"x"}}); errors.Is(err, transport.ErrOutage) {
			t.Errorf("a mutation: got error %v, want none of an outage", err)
		}
		time.AfterFunc(30*time.Second, func() { away.Store(false) })
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil); err != nil {
			t.Errorf("a wait: got error %v, want none", err)
		}
		if _, err := c.Account(t.Context()); err != nil {
			t.Errorf("Account: got error %v, want none, as any answer of the service ends the outage", err)
		}
	})
}
