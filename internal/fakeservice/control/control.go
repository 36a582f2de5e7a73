// Package control serves the control routes under /_fake/. With them, a program sets
// holds, faults and the clock of a running fake, and reads what the fake did. They are
// not part of the service.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scenario"
)

// maxBody is the maximum size of a control request in bytes.
const maxBody = 1 << 20

// Options configures the control routes.
type Options struct {
	Scenario *scenario.Scenario
	// Reset resets the fake.
	Reset func()
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

// control implements the routes with the Go methods of a Scenario.
type control struct {
	*scenario.Scenario
	options Options
}

// Mount adds the control routes to a mux.
func Mount(mux *http.ServeMux, o Options) {
	c := &control{o.Scenario, o}
	for _, r := range routes {
		mux.HandleFunc(r.pattern, c.guarded(r.handle))
	}
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
			answer, err = handle(c, r)
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="control of the fake service"`)
		}
		if err != nil {
			answer = object{"error": err.Error()}
		} else {
			status = http.StatusOK
		}
		if folder, ok := answer.(archive); ok {
			folder.send(w)
			return
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
	switch {
	case !c.Accepts(httpauth.Token(r)):
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

// fork starts another fake, which ends when this one ends.
func (c *control) fork(r *http.Request) (any, error) { return c.options.Fork(r.Context()) }

func (c *control) reset(*http.Request) (any, error) {
	c.Reset(c.options.Reset)
	return object{"reset": true}, nil
}
