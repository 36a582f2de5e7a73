package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// whole is the answer of the service behind the gateway.
const whole = `{"id":"t-1","name":"thing"}`

// world is a client, a gateway, and a service that records the requests it gets.
type world struct {
	*gateway.Gateway
	t     *testing.T
	begun time.Time

	mu    sync.Mutex
	notes []string
}

// in runs a test in a synctest bubble, where an hour takes no time.
func in(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, begun: time.Now()}
		w.Gateway = gateway.New(w, gateway.Options{Prefix: "/api", Watch: func(r *http.Request, body []byte) gateway.Exchange {
			return &watched{w, r.Method + " " + string(body)}
		}})
		defer w.Close()
		test(t, w)
	})
}

// note records an event, with the time since the beginning.
func (w *world) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, time.Since(w.begun).String()+" "+what)
}

// noted returns the events since the previous call.
func (w *world) noted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := w.notes
	w.notes = nil
	return notes
}

// ServeHTTP is the service.
func (w *world) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	what := "service: " + r.Method + " " + r.URL.Path + " " + string(body)
	if lag := gateway.LagOf(r.Context()); lag != 0 {
		what += " as of " + lag.String() + " ago"
	}
	if err := errors.Join(err, r.Context().Err()); err != nil {
		what += " " + err.Error()
	}
	w.note(strings.TrimSpace(what))
	if r.URL.Path == "/api/abort" {
		panic(http.ErrAbortHandler)
	}
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(to, whole)
}

type watched struct {
	*world
	what string
}

func (e *watched) Served(status int) { e.note("served: " + e.what + " " + http.StatusText(status)) }
func (e *watched) Answered(status int, _ []byte, faulted bool) {
	what := "answered: " + e.what + " " + http.StatusText(status)
	if faulted {
		what += ", faulted"
	}
	e.note(what)
}

// got is the client's result, with its time.
type got struct {
	status int
	header http.Header
	length int64
	text   string
	err    error
	at     time.Duration
}

// send sends a request and waits for its answer.
func (w *world) send(ctx context.Context, method, path, body string) got {
	request, err := http.NewRequestWithContext(ctx, method, "https://service.test/api"+path, strings.NewReader(body))
	if err != nil {
		return got{err: err}
	}
	response, err := gateway.Transport{Handler: w.Gateway}.RoundTrip(request)
	if err != nil {
		return got{err: err, at: time.Since(w.begun)}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return got{response.StatusCode, response.Header, response.ContentLength, string(text), err, time.Since(w.begun)}
}

func (w *world) get(path string) got { return w.send(w.t.Context(), "GET", path, "") }

// statuses sends n reads, one each second.
func (w *world) statuses(n int, path string) []int {
	var all []int
	for range n {
		all = append(all, w.get(path).status)
		time.Sleep(time.Second)
	}
	return all
}

func equal[T any](t *testing.T, what string, have, want T) {
	t.Helper()
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
