package transport

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestServiceComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		me := says(200, object{"id": "me"})
		c, _ := newTestSender(t, during(time.Minute, gateway(502), me))
		for time.Since(startOfBubble()) < 50*time.Second {
			if err := readMe(t.Context(), c); err == nil {
				t.Fatal("GET during the outage: got no error, want one")
			}
			time.Sleep(time.Second)
		}
		if err := readMe(t.Context(), c); !errors.Is(err, ErrOutage) && !errors.Is(err, ErrForeign) {
			t.Errorf("GET: got error %v, want ErrOutage or ErrForeign", err)
		}
		time.Sleep(20 * time.Second)
		if lost := readMany(t.Context(), 100, 10, c); lost > 0 {
			t.Errorf("lost reads of 100: got %d, want none, as the service is back", lost)
		}
	})
}

func startOfBubble() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// A service that has just come back answers all waiting reads, not only the probe.
func TestProbeAnswersForAll(t *testing.T) {
	for _, back := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			away := true
			c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(time.Second)
				if away {
					gatewayPage(w, 502)
					return
				}
				respond(w, 200, object{"id": "me"})
			})
			for time.Since(startOfBubble()) < 25*time.Second {
				_ = readMe(t.Context(), c)
				time.Sleep(time.Second)
			}
			time.Sleep(outageProbe)
			away = !back
			before := len(transport.Requests())
			lost := readMany(t.Context(), 10, 10, c)
			if back && lost != 0 {
				t.Errorf("lost reads: got %d, want none, as the service is back", lost)
			}
			if n := len(transport.Requests()) - before; !back && (n != 1 || lost != 10) {
				t.Errorf("the reads during the outage: got %d requests and %d lost, want a single probe and 10", n, lost)
			}
		})
	}
}

// An attempt of the first read takes half of the time, and leaves the other half to an
// attempt on another connection.
func TestFirstReadHasTwoAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestSender(t, inTurn(says(silent, nil), says(200, object{"id": "me"})))
		must.Do(t, readMe(t.Context(), c))
		if gap := transport.Times()[1].Sub(transport.Times()[0]); gap < outageLimit/2 || gap > outageLimit/2+5*time.Second {
			t.Errorf("got the second attempt after %s, want it soon after %s", gap, outageLimit/2)
		}
	})
}

// A single failure long ago does not mean that an outage has lasted since.
func TestOldFailureIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := gateway(502)
		job := says(200, object{"id": "j", "status": "running"})
		me := says(200, object{"id": "me"})
		c, _ := newTestSender(t, script{"GET /jobs/j": inTurn(job, page), "GET /me": inTurn(page, page, me)}.Serve)
		must.Do(t, read(t.Context(), c, "jobs", "j"))
		if _, err := Do[object](t.Context(), c, Request{Method: http.MethodGet, Path: []string{"jobs", "j"}, Poll: true}); !errors.Is(err, ErrForeign) {
			t.Fatalf("a poll: got error %v, want ErrForeign", err)
		}
		time.Sleep(time.Minute) // a wait may poll as rarely
		if lost := readMany(t.Context(), 10, 10, c); lost > 0 {
			t.Errorf("lost reads of 10: got %d, want none", lost)
		}
	})
}

// A read cancelled by its caller, or forbidden by a gateway, says nothing about the
// service.
func TestWhatIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, inTurn(says(200, object{"id": "me"}), says(silent, nil), says(silent, nil), gateway(403), says(200, object{"id": "me"})))
		must.Do(t, readMe(t.Context(), c))
		for range 2 {
			_ = readMe(within(t, time.Second), c)
		}
		if err := readMe(t.Context(), c); !errors.Is(err, errForbidden) {
			t.Errorf("GET: got error %v, want errForbidden", err)
		}
		o := c.http.HTTPClient.Transport.(*attempts).outage
		if !o.since.IsZero() {
			t.Errorf("the outage: got one since %s, want none", o.since)
		}
	})
}
