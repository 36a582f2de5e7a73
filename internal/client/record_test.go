package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

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
			if err != nil && !transport.OutcomeUnknown(err) {
				return errors.New("the outcome of a statement is known")
			}
			return err
		},
	}
	for name, read := range read {
		for _, body := range []string{`null`, `{"message": "maintenance"}`, `{}`, ``, `<html>welcome</html>`, `"ok"`} {
			c, wire := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
			err := read(t.Context(), c)
			if !errors.Is(err, transport.ErrForeign) {
				t.Errorf("%s: got error %v for %q, want ErrForeign", name, err, body)
			} else if !strings.Contains(err.Error(), "https://hosting.example/api/v1") {
				t.Errorf("%s: got error %v, want the base URL in it", name, err)
			}
			if n := len(wire.Requests()); n != 1 {
				t.Errorf("%s: got %d requests, want 1", name, n)
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
		if !errors.Is(err, transport.ErrForeign) || errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got error %v, want ErrForeign and not ErrNotFound", name, err)
		}
	}
}

func TestRecordOfAnIDInAnotherCase(t *testing.T) {
	c, wire := newTestClient(t, says(200, object{"id": "i-4f2a", "name": "shop"}))
	var other *OtherCaseError
	if _, err := c.RefreshInstance(t.Context(), "I-4F2A"); !errors.As(err, &other) || other.ID != "i-4f2a" || errors.Is(err, transport.ErrForeign) {
		t.Errorf("the instance: got error %v, want an *OtherCaseError with i-4f2a", err)
	}
	if n := len(wire.Requests()); n != 1 {
		t.Errorf("requests: got %d, want 1", n)
	}
}

func second[T any](_ T, err error) error { return err }

// TestProfileIsReadBack checks that reads that lag are not taken for the service's decision.
func TestProfileIsReadBack(t *testing.T) {
	before, after := object{"id": "u", "name": "B"}, object{"id": "u", "name": "A"}
	for name, row := range map[string]struct {
		answer any // nil means 204
		lag    time.Duration
		want   string
		reads  int // -1 means any number
	}{
		"no answer":                       {nil, 0, "A", 1},
		"an empty answer":                 {object{}, 0, "A", 1},
		"no answer, and reads that lag":   {nil, 10 * time.Second, "A", -1},
		"the old record":                  {before, 10 * time.Second, "A", -1},
		"the record":                      {after, 10 * time.Second, "A", 0},
		"a record without the field":      {object{"id": "u"}, 0, "", 0},
		"a change that is not made":       {nil, time.Hour, "B", -1},
		"a change that an answer refuses": {before, time.Hour, "B", -1},
	} {
		inBubble(t, name, func(t *testing.T) {
			begun := time.Now()
			c, wire := newTestClient(t, script{
				"PATCH /me": func(w http.ResponseWriter, r *http.Request) {
					if row.answer == nil {
						w.WriteHeader(204)
						return
					}
					says(200, row.answer)(w, r)
				},
				"GET /me": func(w http.ResponseWriter, r *http.Request) {
					if time.Since(begun) < row.lag {
						says(200, before)(w, r)
						return
					}
					says(200, after)(w, r)
				},
			}.Serve)
			account, err := c.UpdateProfile(t.Context(), Profile{Name: ProfileField(Some("A"))})
			if reads := len(wire.Requests()) - 1; err != nil || account.Name.Value != row.want || row.reads >= 0 && reads != row.reads {
				t.Errorf("UpdateProfile: got %+v, error %v and %d reads, want the name %q and %d reads", account, err, reads, row.want, row.reads)
			}
		})
	}
}

// An empty change is not sent, because a service may refuse an empty PATCH.
func TestEmptyChangesAreNotSent(t *testing.T) {
	c, wire := newTestClient(t, script{
		"GET /me":         says(200, object{"id": "a"}),
		"GET /webhooks/w": says(200, object{"id": "w"}),
	}.Serve)
	account, err := c.UpdateProfile(t.Context(), Profile{})
	if err != nil || account.ID != "a" {
		t.Errorf("UpdateProfile: got %+v and error %v, want the account a", account, err)
	}
	webhook, err := c.UpdateWebhook(t.Context(), "w", WebhookSettings{})
	if err != nil || webhook.ID != "w" {
		t.Errorf("UpdateWebhook: got %+v and error %v, want w", webhook, err)
	}
	if n := len(wire.Requests()); n != 2 {
		t.Errorf("requests: got %d, want 2", n)
	}
}
