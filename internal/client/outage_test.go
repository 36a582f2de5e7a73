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
)

// A plan against a host that is dead or not the service ends within 30 s, regardless of
// the number of resources.
func TestDeadHostEndsAPlan(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		err    error
		most   int // maximum number of requests
	}{
		"refuses connections": {says(refused, nil), ErrUnreachable, 400},
		"swallows packets":    {says(silent, nil), ErrUnreachable, 30},
		"drops connections":   {says(dropped, nil), ErrUnreachable, 400},
		"foreign 404":         {gateway(404), ErrForeign, 400},
		"foreign 503":         {gateway(503), ErrForeign, 400},
		"maintenance":         {maintenance(time.Hour), ErrForeign, 400},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestClient(t, row.answer, func(o *Options) { o.MaxRetries = DefaultMaxRetries })
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
				t.Logf("%d requests in %s", len(transport.Requests()), took)
				if took > 30*time.Second || len(transport.Requests()) > row.most {
					t.Errorf("%d requests in %s", len(transport.Requests()), took)
				}
				if own.Load() != 300 {
					t.Errorf("errors that match %v: got %d, want 300", row.err, own.Load())
				}
			})
		})
	}
}

// Even the first read of a host that drops packets ends within that time.
func TestOneReadOfADeadHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, says(silent, nil), func(o *Options) { o.MaxRetries = DefaultMaxRetries })
		begun := time.Now()
		_, err := c.Plans(t.Context())
		if took := time.Since(begun); !errors.Is(err, ErrUnreachable) || took > 30*time.Second {
			t.Errorf("%v after %s", err, took)
		}
	})
}

func TestServiceComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := says(200, object{"id": "me"})
		c, _ := newTestClient(t, during(time.Minute, gateway(502), me))
		for time.Since(startOfBubble()) < 50*time.Second {
			if _, err := c.Account(t.Context()); err == nil {
				t.Fatal("no error")
			}
			time.Sleep(time.Second)
		}
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrOutage) && !errors.Is(err, ErrForeign) {
			t.Errorf("Account: got error %v, want ErrOutage or ErrForeign", err)
		}
		time.Sleep(20 * time.Second)
		if lost := readMany(t.Context(), 100, 10, c); lost > 0 {
			t.Errorf("%d of 100 reads lost, though the service is back", lost)
		}
	})
}

func startOfBubble() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// A service that has just come back answers all waiting reads, not only the probe.
func TestProbeAnswersForAll(t *testing.T) {
	for _, back := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			away := true
			c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second)
				if away {
					gatewayPage(w, 502)
					return
				}
				respond(w, 200, object{"id": "me"})
			})
			for time.Since(startOfBubble()) < 25*time.Second {
				_, _ = c.Account(t.Context())
				time.Sleep(time.Second)
			}
			time.Sleep(outageProbe)
			away = !back
			before := len(transport.Requests())
			lost := readMany(t.Context(), 10, 10, c)
			if want := int64(0); back && lost != want {
				t.Errorf("%d reads lost, though the service is back", lost)
			}
			if n := len(transport.Requests()) - before; !back && (n != 1 || lost != 10) {
				t.Errorf("%d requests, want a single probe; %d lost", n, lost)
			}
		})
	}
}

// A single failure long ago does not mean that an outage has lasted since.
func TestOldFailureIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := gateway(502)
		job := says(200, object{"id": "j", "status": "running"})
		me := says(200, object{"id": "me"})
		c, _ := newTestClient(t, script{"GET /jobs/j": inTurn(job, page), "GET /me": inTurn(page, page, me)}.Serve)
		if _, err := c.Job(t.Context(), "j"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.job(t.Context(), "j", true); !errors.Is(err, ErrForeign) {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // a wait may poll as rarely
		if lost := readMany(t.Context(), 10, 10, c); lost > 0 {
			t.Errorf("%d of 10 reads lost", lost)
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
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrOutage) {
			t.Fatalf("%v, want an outage", err)
		}
		if _, err := c.job(t.Context(), "j", true); errors.Is(err, ErrOutage) {
			t.Errorf("a poll: %v", err)
		}
		if _, err := c.Instance(lifetime.WithGracePeriod(t.Context()), "i"); errors.Is(err, ErrOutage) {
			t.Errorf("a read of an operation: %v", err)
		}
		if _, err := do[object](t.Context(), c.sender, request{method: http.MethodPut, path: []string{"x"}}); errors.Is(err, ErrOutage) {
			t.Errorf("a mutation: %v", err)
		}
		time.AfterFunc(30*time.Second, func() { away.Store(false) })
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j"}, OpConsole, nil); err != nil {
			t.Errorf("a wait: %v", err)
		}
		if _, err := c.Account(t.Context()); err != nil {
			t.Errorf("%v: any answer of the service ends the outage", err)
		}
	})
}

// A read cancelled by its caller, or forbidden by a gateway, says nothing about the
// service.
func TestWhatIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, inTurn(says(200, object{"id": "me"}), says(silent, nil), says(silent, nil), gateway(403), says(200, object{"id": "me"})))
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, _ = c.Account(within(t, time.Second))
		}
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrForbidden) {
			t.Error(err)
		}
		o := c.sender.http.HTTPClient.Transport.(*attempts).outage
		if !o.since.IsZero() {
			t.Errorf("an outage since %s", o.since)
		}
	})
}
