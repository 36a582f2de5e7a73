package client

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// The connection record names the instance's own database. An instance that is being
// created has no such record yet. It is waited for like before any change.
func TestOwnDatabase(t *testing.T) {
	const path = "GET /instances/i/connection"
	busy := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 409, "job_running") }
	named := says(200, object{"host": "h", "engines": object{"postgres": object{"database": "shop"}}})
	creating := says(200, object{"id": "i", "status": "creating", "job_id": "j-1"})
	running := says(200, object{"id": "i", "status": "running"})
	at := func(h http.HandlerFunc) func() script { return func() script { return script{path: h} } }
	for name, row := range map[string]struct {
		service func() script
		want    string
		err     error
		takes   time.Duration
	}{
		"named":            {service: at(named), want: "shop"},
		"postgres is off":  {service: at(says(200, object{"host": "h", "engines": object{}}))},
		"not told":         {service: at(says(200, object{"host": "h", "engines": object{"postgres": object{"direct_port": 5432}}}))},
		"no such instance": {service: at(notFound), err: ErrNotFound},
		"forbidden":        {service: at(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }), err: &transport.APIError{}},
		"still being made": {service: func() script {
			return script{
				path:               during(time.Minute, busy, named),
				"GET /instances/i": during(time.Minute, creating, running),
				"GET /jobs/j-1":    during(time.Minute, jobIs("running", OpCreate), jobIs("done", OpCreate)),
			}
		}, want: "shop", takes: time.Minute},
		"its checkout is open": {service: func() script {
			return script{path: busy, "GET /instances/i": says(200, object{"id": "i", "status": "creating", "checkout_url": "https://pay.example"})}
		}, err: &CheckoutError{}},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, _ := newTestClient(t, row.service().Serve)
			begun := time.Now()
			got, err := enter(t, c).OwnDatabase(within(t, 20*time.Minute))
			switch want := row.err.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *CheckoutError:
				if !isAs[*CheckoutError](err) {
					t.Errorf("OwnDatabase: got error %v, want a *CheckoutError", err)
				}
			case *transport.APIError:
				if !isAs[*transport.APIError](err) {
					t.Errorf("OwnDatabase: got error %v, want an *APIError", err)
				}
			default:
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			}
			if took := time.Since(begun); got != row.want || took < row.takes {
				t.Errorf("got %q after %s, want %q after %s", got, took, row.want, row.takes)
			}
		})
	}
}
