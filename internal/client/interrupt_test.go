package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestCancelledMutationInFlightIsFinished(t *testing.T) {
	for method := range map[string]bool{"POST": true, "PUT": true, "PATCH": true, "DELETE": true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				cancel()
				select {
				case <-r.Context().Done():
				case <-time.After(20 * time.Second):
					respond(w, 201, object{"id": "w-1"})
				}
			})
			webhook, err := transport.Do[Webhook](ctx, c.sender, transport.Request{Method: method, Path: []string{"webhooks"}})
			if err != nil || webhook.ID != "w-1" {
				t.Errorf("%s: got %+v and error %v, want w-1", method, webhook, err)
			}
			if _, err := transport.Do[Webhook](ctx, c.sender, transport.Request{Method: method, Path: []string{"webhooks"}}); !errors.Is(err, context.Canceled) || transport.OutcomeUnknown(err) {
				t.Errorf("%s: got error %v, want the cancellation and nothing sent", method, err)
			}
			if n := len(wire.Requests()); n != 1 {
				t.Errorf("%s: got %d requests, want 1", method, n)
			}
		})
	}
}

// After Ctrl-C with a dead network everything ends within the grace period.
func TestInterruptWithADeadNetwork(t *testing.T) {
	for name, run := range map[string]func(context.Context, *Client) error{
		"create an instance": func(ctx context.Context, c *Client) error {
			return second(c.CreateInstance(ctx, NewInstance{InstanceSettings: InstanceSettings{Name: Some("web")}, Plan: "free", Region: "eu"}))
		},
		"create a database": func(ctx context.Context, c *Client) error {
			return onTurn(ctx, c, func(turn *Turn) error { return second(turn.CreateDatabase(ctx, "d")) })
		},
		"rotate": func(ctx context.Context, c *Client) error {
			return onTurn(ctx, c, func(turn *Turn) error { return second(turn.Rotate(ctx)) })
		},
		"set the allowlist": func(ctx context.Context, c *Client) error {
			return onTurn(ctx, c, func(turn *Turn) error { return second(turn.SetAllowlist(ctx, nil)) })
		},
		"delete": func(ctx context.Context, c *Client) error {
			return onTurn(ctx, c, func(turn *Turn) error { return second(turn.Delete(ctx, nil)) })
		},
		"query": func(ctx context.Context, c *Client) error {
			return onTurn(ctx, c, func(turn *Turn) error { return turn.Query(ctx, "", "SELECT 1") })
		},
		"create an endpoint": func(ctx context.Context, c *Client) error {
			return second(c.CreateWebhook(ctx, endpointOf("https://h.example", "a secret of the test")))
		},
		"change an endpoint": func(ctx context.Context, c *Client) error {
			return second(c.UpdateWebhook(ctx, "w", WebhookSettings{Enabled: Some(false)}))
		},
	} {
		for _, dies := range []int{silent, dropped, 504, 404} {
			inBubble(t, name, func(t *testing.T) {
				ctx, interrupt := context.WithCancel(t.Context())
				dead := false
				var at time.Time
				c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodGet && !dead {
						dead, at = true, time.Now().Add(time.Second)
						time.AfterFunc(time.Second, interrupt)
						if dies != silent {
							time.Sleep(1500 * time.Millisecond)
						}
					}
					switch {
					case dead:
						gatewayPage(w, dies)
					case r.URL.Path == "/api/v1/instances/i":
						respond(w, 200, object{"id": "i", "status": "running"})
					default:
						respond(w, 200, object{"instances": []object{}, "databases": []object{}, "webhooks": []object{}})
					}
				}, func(o *Options) { o.MaxRetries = DefaultMaxRetries })
				err := run(ctx, c)
				if err == nil || errors.Is(err, ErrNotFound) {
					t.Errorf("operation: got error %v, want an error other than ErrNotFound", err)
				}
				if took := time.Since(at); took > 30*time.Second { // as documented
					t.Errorf("the operation: got an end %s after the interrupt, want one within 30 s", took)
				}
			})
		}
	}
}

func onTurn(ctx context.Context, c *Client, do func(*Turn) error) error {
	turn, err := c.Enter(ctx, "i")
	if err != nil {
		return err
	}
	defer turn.Leave()
	return do(turn)
}

// If a mutation of the detached context closes a console after Ctrl-C, it gets no
// additional time.
func TestMutationInTheGracePeriodEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, says(silent, nil))
		ctx, interrupt := context.WithCancel(t.Context())
		operation := lifetime.WithGracePeriod(ctx)
		turn := must.Get(c.Enter(operation, "i"))(t)
		defer turn.Leave()
		interrupt()
		begun := time.Now()
		time.Sleep(20 * time.Second)
		if _, err := turn.SetConsoleMode(lifetime.Detached(operation), ConsoleOff); err == nil {
			t.Error("SetConsoleMode after the interrupt: got no error, want one")
		}
		if took := time.Since(begun); took > 30*time.Second { // as documented
			t.Errorf("SetConsoleMode: got an end %s after the interrupt, want one within 30 s", took)
		}
	})
}
