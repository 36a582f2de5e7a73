package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestBaseURL(t *testing.T) {
	for raw, ok := range map[string]bool{
		"https://hosting.example/api/v1":   true,
		"https://hosting.example/api/v1/":  true,
		"http://127.0.0.1:8080/api/v1":     true,
		"http://localhost/api/v1":          true,
		"http://[::1]:80/api/v1":           true,
		"http://hosting.example/api/v1":    false,
		"http://127.0.0.1.example/api/v1":  false,
		"http://10.0.0.1/api/v1":           false,
		"ftp://hosting.example":            false,
		"hosting.example/api/v1":           false,
		"https://u:p@hosting.example":      false,
		"https://hosting.example?x=1":      false,
		"https://hosting.example/api#frag": false,
		"":                                 false,
		"https://":                         false,
		"://":                              false,
	} {
		_, err := New(Options{BaseURL: raw, APIKey: "k"})
		if (err == nil) != ok {
			t.Errorf("%q: %v", raw, err)
		}
	}
	if _, err := New(Options{BaseURL: "https://hosting.example"}); err == nil {
		t.Error("an empty API key was accepted")
	}
}

func TestPathElementsAreEscaped(t *testing.T) {
	var got string
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.EscapedPath()
		respond(w, 200, object{})
	})
	for id, want := range map[string]string{
		"a/b":    "/api/v1/instances/a%2Fb",
		"..":     "/api/v1/instances/%2E%2E",
		"a?b#c":  "/api/v1/instances/a%3Fb%23c",
		"a%2e":   "/api/v1/instances/a%252e",
		"simple": "/api/v1/instances/simple",
	} {
		if _, err := c.Instance(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("%q became %s, want %s", id, got, want)
		}
	}
	if _, err := c.Instance(t.Context(), ""); err == nil {
		t.Error("an empty id was sent")
	}
}

func TestRetriesByMethod(t *testing.T) {
	call := map[string]func(context.Context, *Client) error{
		"GET": func(ctx context.Context, c *Client) error { _, err := c.Account(ctx); return err },
		"PATCH": func(ctx context.Context, c *Client) error {
			_, err := c.UpdateProfile(ctx, ProfileChange{})
			return err
		},
		"DELETE": func(ctx context.Context, c *Client) error { return c.DeleteWebhook(ctx, "w") },
		"POST": func(ctx context.Context, c *Client) error {
			_, err := do[object](ctx, c, request{method: "POST", path: []string{"x"}})
			return err
		},
	}
	const all = 4 // the first and three retries
	rows := []struct {
		status int
		sent   map[string]int
	}{
		{429, map[string]int{"GET": all, "PATCH": all, "DELETE": all, "POST": all}},
		{500, map[string]int{"GET": all, "PATCH": 1, "DELETE": 1, "POST": 1}},
		{502, map[string]int{"GET": all, "PATCH": all, "DELETE": all, "POST": 1}},
		{503, map[string]int{"GET": all, "PATCH": all, "DELETE": all, "POST": 1}},
		{504, map[string]int{"GET": all, "PATCH": all, "DELETE": all, "POST": 1}},
		{drop, map[string]int{"GET": all, "PATCH": all, "DELETE": all, "POST": 1}},
		{400, map[string]int{"GET": 1, "PATCH": 1, "DELETE": 1, "POST": 1}},
		{401, map[string]int{"GET": 1, "PATCH": 1, "DELETE": 1, "POST": 1}},
		{302, map[string]int{"GET": 1, "PATCH": 1, "DELETE": 1, "POST": 1}},
	}
	for _, row := range rows {
		for method, sent := range row.sent {
			t.Run(fmt.Sprint(row.status, method), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, row.status, object{"code": "x"}) })
					if err := call[method](t.Context(), c); err == nil {
						t.Error("no error")
					}
					if n := len(transport.requests()); n != sent {
						t.Errorf("%d requests, want %d", n, sent)
					}
				})
			})
		}
	}
}

func TestRefusedConnectionIsRetriedForPOST(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c, err := New(Options{BaseURL: server.URL, APIKey: "k", MaxRetries: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = do[object](t.Context(), c, request{method: "POST", path: []string{"x"}})
	if err == nil || outcomeUnknown(err) {
		t.Errorf("%v: nothing was sent, so the outcome is known", err)
	}
}

// A POST with an Idempotency-Key on a reused connection that breaks is sent
// again by net/http itself, unless the header is kept from it.
func TestBrokenReusedConnectionDoesNotRepeatAPOST(t *testing.T) {
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			respond(w, 200, object{})
			return
		}
		if r.Header.Get("Idempotency-Key") == "" {
			t.Error("the POST carries no Idempotency-Key")
		}
		posts.Add(1)
		io.Copy(io.Discard, r.Body)
		connection, _, _ := w.(http.Hijacker).Hijack()
		connection.Close()
	}))
	defer server.Close()
	c, err := New(Options{BaseURL: server.URL, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Account(t.Context()); err != nil { // opens the connection
		t.Fatal(err)
	}
	_, err = do[object](t.Context(), c, request{method: "POST", path: []string{"x"}, body: object{}, key: newKey()})
	if !outcomeUnknown(err) {
		t.Errorf("%v, want an unknown outcome", err)
	}
	if n := posts.Load(); n != 1 {
		t.Errorf("%d POSTs, want 1", n)
	}
}

func TestCancelledMutationInFlightIsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c, transport := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			cancel()
			select {
			case <-r.Context().Done():
				respond(w, drop, nil)
			case <-time.After(2 * time.Second):
				respond(w, 201, object{"id": "w-1"})
			}
		})
		webhook, err := do[Webhook](ctx, c, request{method: "POST", path: []string{"webhooks"}})
		if err != nil || webhook.ID != "w-1" {
			t.Errorf("%+v, %v", webhook, err)
		}
		if _, err := do[Webhook](ctx, c, request{method: "POST", path: []string{"webhooks"}}); !errors.Is(err, context.Canceled) || outcomeUnknown(err) {
			t.Errorf("%v, want the cancellation and nothing sent", err)
		}
		if n := len(transport.requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
	})
}

func TestCancelledReadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done(); respond(w, drop, nil) })
		begun := time.Now()
		if _, err := c.Account(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRequestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t,
			func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done(); respond(w, drop, nil) },
			func(o *Options) { o.RequestTimeout, o.MaxRetries = 5*time.Second, 1 })
		if _, err := c.Account(t.Context()); !errors.Is(err, errRequestTimeout) {
			t.Errorf("%v", err)
		}
		if n := len(transport.requests()); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}

func TestBodiesAreCapped(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write(bytes.Repeat([]byte(" "), maxBody+1))
	})
	if _, err := c.Account(t.Context()); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("%v", err)
	}
	_, err := do[object](t.Context(), c, request{method: "POST", path: []string{"x"}})
	if !errors.Is(err, ErrBodyTooLarge) || !outcomeUnknown(err) {
		t.Errorf("%v", err)
	}
}

func TestErrorBodies(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/instances/service":
			respond(w, 409, object{"detail": "busy", "code": "job_running"})
		case "/api/v1/instances/html":
			w.WriteHeader(400)
			fmt.Fprint(w, "<html>", strings.Repeat("é", 2000))
		case "/api/v1/instances/gone":
			w.WriteHeader(410)
		default:
			w.WriteHeader(204)
		}
	})
	_, err := c.Instance(t.Context(), "service")
	if !errors.Is(err, ErrJobRunning) || err.Error() != "GET /instances/service answered 409 Conflict (job_running): busy" {
		t.Errorf("%v", err)
	}
	var api *APIError
	if _, err := c.Instance(t.Context(), "html"); !errors.As(err, &api) || len([]rune(api.Detail)) != maxForeignBody+1 {
		t.Errorf("%v", err)
	}
	if _, err := c.Instance(t.Context(), "gone"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

func TestListsArePagedAndMayBeBare(t *testing.T) {
	c, transport := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/v1/webhooks":
			respond(w, 200, []object{{"id": "w-1"}, {"id": "w-2"}})
		case r.URL.Query().Get("cursor") == "":
			respond(w, 200, object{"instances": []object{{"id": "i-1"}}, "next_cursor": "more"})
		default:
			respond(w, 200, object{"instances": []object{{"id": "i-2"}}, "next_cursor": nil})
		}
	})
	instances, err := c.Instances(t.Context())
	if err != nil || len(instances) != 2 || instances[1].ID != "i-2" {
		t.Errorf("%v, %v", instances, err)
	}
	webhooks, err := c.Webhooks(t.Context())
	if err != nil || len(webhooks) != 2 {
		t.Errorf("%v, %v", webhooks, err)
	}
	if n := transport.count("GET /instances"); n != 2 {
		t.Errorf("%d pages, want 2", n)
	}
}

func TestRetryAfter(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0":                    0,
		"-1":                   0,
		"7":                    7 * time.Second,
		"86400":                retryAfterCap,
		"99999999999999999999": 0,
		"junk":                 0,
		date.Add(9 * time.Second).Format(http.TimeFormat):       9 * time.Second,
		date.Add(-9 * time.Second).Format(http.TimeFormat):      0,
		date.Add(9 * 24 * time.Hour).Format(http.TimeFormat):    retryAfterCap,
		date.Add(9*time.Second).Format(time.RFC3339) + " Zulu ": 0,
	} {
		resp := &http.Response{Header: http.Header{"Retry-After": {value}, "Date": {date.Format(http.TimeFormat)}}}
		if got := retryAfter(resp); got != want {
			t.Errorf("%q is %s, want %s", value, got, want)
		}
	}
}

func TestBackoffSpreadsAndIsCapped(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 200 {
		wait := backoff(backoffBase, backoffCap, 3, nil)
		if wait < 0 || wait > 4*time.Second {
			t.Fatalf("%s is out of bounds", wait)
		}
		seen[wait] = true
	}
	if len(seen) < 100 {
		t.Errorf("only %d different waits of 200", len(seen))
	}
	if wait := backoff(backoffBase, backoffCap, 60, nil); wait > backoffCap {
		t.Errorf("%s is over the cap", wait)
	}
	resp := &http.Response{Header: http.Header{"Retry-After": {"20"}}}
	if wait := backoff(backoffBase, backoffCap, 0, resp); wait < 20*time.Second {
		t.Errorf("%s is under Retry-After", wait)
	}
}

func TestSecretsReachNoLogAndNoError(t *testing.T) {
	const password, serviceKey = "pass-canary-1", "service-canary-2"
	var log strings.Builder
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/instances/i/connection":
			respond(w, 200, object{"engines": object{
				"postgres": object{"owner_url": "postgresql://owner:" + password + "@h:5432/db"},
				"auth":     object{"service_key": serviceKey},
			}})
		default:
			respond(w, 422, object{"code": "validation_failed", "detail": "not " + password + " nor " + serviceKey + " with key-of-the-test at redis://u:unseen-canary@h and env-canary"})
		}
	}, func(o *Options) {
		o.Log = func(_ context.Context, message string, fields map[string]any) {
			encoded, _ := json.Marshal(fields)
			fmt.Fprintln(&log, message, string(encoded))
		}
	})
	if _, err := c.Connection(t.Context(), "i"); err != nil {
		t.Fatal(err)
	}
	c.HideSecret("env-canary")
	_, err := c.Instance(t.Context(), password)
	text := err.Error() + log.String()
	for _, secret := range []string{password, serviceKey, "key-of-the-test", "unseen-canary", "env-canary"} {
		if strings.Contains(err.Error(), secret) && secret != password || strings.Contains(log.String(), secret) {
			t.Errorf("%s leaked: %s", secret, text)
		}
	}
	if !strings.Contains(text, "validation_failed") {
		t.Errorf("the control is missing: %s", text)
	}
}
