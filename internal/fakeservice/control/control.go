// Package control serves the control routes under /_fake/. With them, a program sets
// holds, faults and the clock of a running fake, and reads what the fake did. They are
// not part of the service.
package control

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// maxBody is the maximum size of a control request in bytes.
const maxBody = 1 << 20

// Network sets faults between clients and the service.
type Network interface {
	Inject(gateway.Fault) (remove func())
	Conditions() gateway.Conditions
	SetConditions(gateway.Conditions)
	Weather() (now weather.Weather, seed uint64)
	SetWeather(w weather.Weather, seed uint64)
	Away(d time.Duration, page int)
	LateRequests() int
	DeliverLate() int
}

// Options configures the control routes.
type Options struct {
	Core    *core.Service
	Network Network
	Log     *requestlog.Log
	// Token is the required bearer token.
	Token string
	// Reset resets the fake.
	Reset func()
	// Snapshots returns the folder of snapshots, and creates it if necessary.
	Snapshots func() (string, error)
	// SnapshotLimit is the maximum size in bytes of an uploaded snapshot after it is
	// unpacked.
	SnapshotLimit int64
	// Fork starts another fake with a copy of the current state.
	Fork func(context.Context) (Fork, error)
}

// Fork has the addresses and credentials of a fork.
type Fork struct {
	BaseURL        string `json:"base_url"`
	APIKey         string `json:"api_key"`
	ControlToken   string `json:"control_token"`
	PortalPassword string `json:"portal_password"`
}

// control implements the routes with the Go methods of its Options. It numbers the holds,
// because a caller over HTTP cannot keep a function.
type control struct {
	Options

	mu    sync.Mutex
	last  int
	holds map[string]func()
	// injected has the functions that remove the faults set over HTTP.
	injected []func()
}

// handler answers a control request with a value to encode as JSON.
type handler func(r *http.Request) (any, error)

// Mount adds the control routes to a mux.
func Mount(mux *http.ServeMux, o Options) {
	c := &control{Options: o, holds: map[string]func(){}}
	for pattern, handle := range map[string]handler{
		"GET /_fake/state":                    c.getState,
		"GET /_fake/left":                     c.getLeft,
		"GET /_fake/requests":                 c.getRequests,
		"GET /_fake/violations":               c.getViolations,
		"GET /_fake/jobs":                     c.getJobs,
		"GET /_fake/events":                   c.getEvents,
		"POST /_fake/events":                  c.postEvent,
		"GET /_fake/webhooks/{id}/deliveries": c.getDeliveries,
		"POST /_fake/webhooks/{id}/test":      c.postTestEvent,
		"GET /_fake/processes":                c.getProcesses,
		"GET /_fake/mail":                     c.getMail,
		"GET /_fake/apps/{id}/{name}/log":     c.getAppLog,
		"POST /_fake/faults":                  c.postFault,
		"DELETE /_fake/faults":                c.deleteFaults,
		"GET /_fake/conditions":               c.getConditions,
		"PUT /_fake/conditions":               c.putConditions,
		"GET /_fake/weather":                  c.getWeather,
		"PUT /_fake/weather":                  c.putWeather,
		"POST /_fake/away":                    c.away,
		"GET /_fake/late":                     c.getLate,
		"POST /_fake/late/deliver":            c.deliverLate,
		"POST /_fake/jobs/hold":               c.holdJobs,
		"POST /_fake/jobs/fail":               c.failJobs,
		"POST /_fake/jobs/finish":             c.finishJob,
		"POST /_fake/jobs/start":              c.startJob,
		"POST /_fake/jobs/release":            c.release,
		"POST /_fake/builds/hold":             c.holdBuilds,
		"POST /_fake/builds/fail":             c.failBuilds,
		"POST /_fake/builds/release":          c.release,
		"POST /_fake/apps/fail":               c.failApps,
		"POST /_fake/clock/advance":           c.advance,
		"POST /_fake/checkout/{instance}":     c.payCheckout,
		"POST /_fake/instances/{id}/remove":   c.removeInstance,
		"POST /_fake/reset":                   c.reset,

		"GET /_fake/snapshots":                           c.getSnapshots,
		"POST /_fake/snapshots":                          c.postSnapshot,
		"PUT /_fake/snapshots/{name}":                    c.putSnapshot,
		"DELETE /_fake/snapshots/{name}":                 c.deleteSnapshot,
		"POST /_fake/snapshots/{name}/restore":           c.restoreSnapshot,
		"POST /_fake/fork":                               c.fork,
		"GET /_fake/apps/{id}/{name}/builds/{build}/log": c.getBuildLog,
	} {
		mux.HandleFunc(pattern, c.guarded(handle))
	}
	mux.HandleFunc("GET /_fake/snapshots/{name}", c.getSnapshot)
}

// guarded answers only requests with the token.
func (c *control) guarded(handle handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, err := c.admit(r)
		var answer any
		if err == nil {
			// A snapshot may take longer than other requests. Not every writer has a
			// deadline.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			answer, err = handle(r)
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="control of the fake service"`)
		}
		if err != nil {
			answer = object{"error": err.Error()}
		} else {
			status = http.StatusOK
		}
		text, err := json.Marshal(answer)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write(text) // nothing can be done for a caller that is gone
	}
}

// admit checks the token, because apps of the fake's instances can reach the fake on
// loopback too. It refuses a web page even with the token. It returns the status of the
// refusal, or the status for errors in an admitted request.
func (c *control) admit(r *http.Request) (status int, err error) {
	token := httpauth.Token(r)
	switch {
	case token == "", subtle.ConstantTimeCompare([]byte(token), []byte(c.Token)) != 1:
		return http.StatusUnauthorized, errors.New("control routes want the control token as a bearer token")
	case r.Header.Get("Origin") != "":
		return http.StatusForbidden, errors.New("control routes are not for web pages")
	}
	return http.StatusBadRequest, nil
}

// object is a JSON object.
type object map[string]any

// readControl decodes the JSON of a control request. An empty body means an empty object,
// so that a hold of everything needs no body. Unknown fields are refused, because a
// misspelled field would hold or fail more than intended.
func readControl(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("invalid JSON body: %w", err)
	}
	return nil
}

// keep stores a release function and returns an answer with its hold id.
func (c *control) keep(release func()) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	id := fmt.Sprintf("hold-%d", c.last)
	c.holds[id] = release
	return object{"hold_id": id}
}

// release releases one hold, or all of them if the request names none.
func (c *control) release(r *http.Request) (any, error) {
	var wanted struct {
		HoldID string `json:"hold_id"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.holds[wanted.HoldID]; wanted.HoldID != "" && !ok {
		return nil, fmt.Errorf("there is no hold %q", wanted.HoldID)
	}
	released := 0
	for id, release := range c.holds {
		if wanted.HoldID == "" || wanted.HoldID == id {
			release()
			delete(c.holds, id)
			released++
		}
	}
	return object{"released": released}, nil
}

// fork starts another fake, which ends when this one ends.
func (c *control) fork(r *http.Request) (any, error) { return c.Fork(r.Context()) }

func (c *control) reset(*http.Request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.holds)
	c.injected = nil
	c.Reset()
	return object{"reset": true}, nil
}
