package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPathElementsAreEscaped(t *testing.T) {
	var got string
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
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
		if _, err := c.Instance(t.Context(), id); !errors.Is(err, ErrNotFound) {
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

// Each of these answers has a success status, but does not come from the service.
func TestSuccessesThatAreNotTheServices(t *testing.T) {
	read := map[string]func(context.Context, *Client) error{
		"instance":   func(ctx context.Context, c *Client) error { _, err := c.Instance(ctx, "i"); return err },
		"job":        func(ctx context.Context, c *Client) error { _, err := c.Job(ctx, "j"); return err },
		"app":        func(ctx context.Context, c *Client) error { _, err := c.App(ctx, "i", "a"); return err },
		"webhook":    func(ctx context.Context, c *Client) error { _, err := c.Webhook(ctx, "w"); return err },
		"instances":  func(ctx context.Context, c *Client) error { _, err := c.Instances(ctx); return err },
		"plans":      func(ctx context.Context, c *Client) error { _, err := c.Plans(ctx); return err },
		"locations":  func(ctx context.Context, c *Client) error { _, err := c.Locations(ctx); return err },
		"account":    func(ctx context.Context, c *Client) error { _, err := c.Account(ctx); return err },
		"billing":    func(ctx context.Context, c *Client) error { _, err := c.Billing(ctx); return err },
		"connection": func(ctx context.Context, c *Client) error { _, err := c.Connection(ctx, "i"); return err },
		"query": func(ctx context.Context, c *Client) error {
			turn, err := c.Enter(ctx, "i")
			if err != nil {
				return err
			}
			defer turn.Leave()
			err = turn.Query(ctx, "", "DELETE FROM t")
			if err != nil && !outcomeUnknown(err) {
				return errors.New("the outcome of a statement is known")
			}
			return err
		},
	}
	for name, read := range read {
		for _, body := range []string{`null`, `{"message": "maintenance"}`, `{}`, ``, `<html>welcome</html>`, `"ok"`} {
			c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
			err := read(t.Context(), c)
			if !errors.Is(err, ErrForeign) {
				t.Errorf("%s: %q is %v, want ErrForeign", name, body, err)
			} else if !strings.Contains(err.Error(), "https://hosting.example/api/v1") {
				t.Errorf("%s: %v names no base URL", name, err)
			}
			if n := len(transport.Requests()); n != 1 {
				t.Errorf("%s: %d requests, want 1", name, n)
			}
		}
	}
}

func TestRecordOfAnotherIDIsForeign(t *testing.T) {
	c, _ := newTestClient(t, says(200, object{"id": "another", "name": "another"}))
	for name, err := range map[string]error{
		"instance": second(c.Instance(t.Context(), "i")),
		"job":      second(c.Job(t.Context(), "j")),
		"app":      second(c.App(t.Context(), "i", "a")),
		"webhook":  second(c.Webhook(t.Context(), "w")),
	} {
		if !errors.Is(err, ErrForeign) || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestProfileWithoutAnAnswerIsReadBack(t *testing.T) {
	c, transport := newTestClient(t, script{
		"PATCH /me": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"GET /me":   says(200, object{"id": "u", "name": "A"}),
	}.Serve)
	name := "A"
	account, err := c.UpdateProfile(t.Context(), ProfileChange{Name: &name})
	if err != nil || account.Name != "A" || len(transport.Requests()) != 2 {
		t.Errorf("%+v, %v, %v", account, err, transport.Requests())
	}
}

func TestHeaders(t *testing.T) {
	var got http.Header
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		w.Write([]byte("# Guide"))
	}, func(o *Options) { o.UserAgent = "agent/1" })
	guide, err := c.AppsGuide(t.Context())
	if err != nil || guide != "# Guide" {
		t.Fatalf("%q, %v", guide, err)
	}
	for name, want := range map[string]string{"Accept": "text/markdown", "Authorization": "Bearer key-of-the-test", "User-Agent": "agent/1", "Content-Type": ""} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	_, _ = do[object](t.Context(), c.sender, request{method: http.MethodPost, path: []string{"x"}, body: object{}})
	for name, want := range map[string]string{"Accept": "application/json", "Content-Type": "application/json"} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
}

// If a POST is cancelled while it waits for a retry, it was not executed: the service
// said so, or was never reached.
func TestPOSTCancelledBetweenAttemptsIsNotUnknown(t *testing.T) {
	for name, status := range map[string]int{"rate_limited": 429, "unavailable": 503, "no connection": refused} {
		for range 20 { // the pause before the next attempt is random, up to half a second
			synctest.Test(t, func(t *testing.T) {
				c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
					if status == refused {
						respond(w, refused, nil)
						return
					}
					refuse(w, status, name)
				})
				ctx := within(t, 20*time.Millisecond)
				err := post(ctx, c)
				if err == nil || outcomeUnknown(err) {
					t.Errorf("%s: %v", name, err)
				}
				if n := len(transport.Requests()); n > 3 {
					t.Errorf("%s: %d requests in 20 ms", name, n)
				}
			})
		}
	}
}

// An empty change is not sent, because a service may refuse an empty PATCH.
func TestEmptyChangesAreNotSent(t *testing.T) {
	c, transport := newTestClient(t, script{
		"GET /me":         says(200, object{"id": "a"}),
		"GET /webhooks/w": says(200, object{"id": "w"}),
	}.Serve)
	account, err := c.UpdateProfile(t.Context(), ProfileChange{})
	if err != nil || account.ID != "a" {
		t.Errorf("%+v, %v", account, err)
	}
	webhook, err := c.UpdateWebhook(t.Context(), "w", WebhookChange{})
	if err != nil || webhook.ID != "w" {
		t.Errorf("%+v, %v", webhook, err)
	}
	if n := len(transport.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}
