package transport

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestPathElementsAreEscaped(t *testing.T) {
	var got string
	c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.EscapedPath()
		refuse(w, 404, "not_found")
	})
	for id, want := range map[string]string{
		"a/b":    "/api/v1/instances/a%2Fb",
		".":      "/api/v1/instances/%2E",
		"..":     "/api/v1/instances/%2E%2E",
		"a?b#c":  "/api/v1/instances/a%3Fb%23c",
		"a%2e":   "/api/v1/instances/a%252e",
		"simple": "/api/v1/instances/simple",
	} {
		if err := read(t.Context(), c, "instances", id); !errors.Is(err, errNotFound) {
			t.Fatalf("GET of %q: got error %v, want errNotFound", id, err)
		}
		if got != want {
			t.Errorf("the path of %q: got %s, want %s", id, got, want)
		}
	}
	if err := read(t.Context(), c, "instances", ""); err == nil {
		t.Error("GET of an empty id: got no error, want one")
	}
}

func TestHeaders(t *testing.T) {
	var got http.Header
	c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Write([]byte("# Guide"))
	}, func(o *Options) { o.UserAgent = "agent/1" })
	call, err := c.Send(t.Context(), Request{Method: http.MethodGet, Path: []string{"guide"}, Accept: "text/markdown"})
	if err != nil || string(call.ResponseBody()) != "# Guide" {
		t.Fatalf("the answer: got %q and error %v, want \"# Guide\"", call.ResponseBody(), err)
	}
	for name, want := range map[string]string{"Accept": "text/markdown", "Authorization": "Bearer key-of-the-test", "User-Agent": "agent/1", "Content-Type": ""} {
		if got.Get(name) != want {
			t.Errorf("the header %s: got %q, want %q", name, got.Get(name), want)
		}
	}
	_, _ = Do[object](t.Context(), c, Request{Method: http.MethodPost, Path: []string{"x"}, Body: object{}})
	for name, want := range map[string]string{"Accept": "application/json", "Content-Type": "application/json"} {
		if got.Get(name) != want {
			t.Errorf("the header %s: got %q, want %q", name, got.Get(name), want)
		}
	}
}

// If a POST is cancelled while it waits for a retry, it was not executed: the service
// said so, or was never reached.
func TestPOSTCancelledBetweenAttemptsIsNotUnknown(t *testing.T) {
	for name, status := range map[string]int{"rate_limited": 429, "unavailable": 503, "no connection": refused} {
		for range 20 { // the pause before the next attempt is random, up to half a second
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
					if status == refused {
						respond(w, refused, nil)
						return
					}
					refuse(w, status, name)
				})
				ctx := within(t, 20*time.Millisecond)
				err := post(ctx, c)
				if err == nil || OutcomeUnknown(err) {
					t.Errorf("%s: got error %v, want one with a known outcome", name, err)
				}
				if n := len(transport.Requests()); n > 3 {
					t.Errorf("%s: got %d requests in 20 ms, want at most 3", name, n)
				}
			})
		}
	}
}
