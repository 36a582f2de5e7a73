package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Webhook is an https endpoint of the customer's that gets every event
// (service.md, "Webhook endpoint").
type Webhook struct {
	ID                  string      `json:"id"`
	URL                 string      `json:"url"`
	Enabled             Maybe[bool] `json:"enabled"`
	Secret              string      `json:"secret"` // only in the answer to its creation
	ConsecutiveFailures int64       `json:"consecutive_failures"`
	CreatedAt           time.Time   `json:"created_at"`
}

// A WebhookChange is what changes on a webhook endpoint; what is nil stays.
type WebhookChange struct {
	URL     *string `json:"url,omitempty"`
	Secret  *string `json:"secret,omitempty"`
	Enabled *bool   `json:"enabled,omitempty"`
}

// Webhook reads a webhook endpoint.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	return get[Webhook](ctx, c, "webhooks", id)
}

// Webhooks reads all webhook endpoints of the account.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	return list[Webhook](ctx, c, "webhooks", "webhooks")
}

// CreateWebhook registers an endpoint. The secret is the caller's, so that an
// endpoint whose answer was lost can be found by its URL with nothing missing.
func (c *Client) CreateWebhook(ctx context.Context, endpoint, secret string, enabled bool) (Webhook, error) {
	c.secrets.add(secret)
	// Endpoints of one URL are made one by one, so that none adopts another.
	line := c.queues.of("webhook " + endpoint)
	select {
	case line <- struct{}{}:
		defer func() { <-line }()
	case <-ctx.Done():
		return Webhook{}, ctx.Err()
	}
	find := func(ctx context.Context, since time.Time) (Webhook, bool, error) {
		webhooks, err := c.Webhooks(ctx)
		for _, webhook := range webhooks {
			if SameURL(webhook.URL, endpoint) && !webhook.CreatedAt.IsZero() && !webhook.CreatedAt.Before(since) && !c.hasClaimed(webhook.ID) {
				return webhook, true, nil
			}
		}
		return Webhook{}, false, err
	}
	r := request{
		method: http.MethodPost,
		path:   []string{"webhooks"},
		body:   map[string]any{"url": endpoint, "secret": secret, "enabled": enabled},
		key:    newKey(),
	}
	webhook, err := settle(ctx, c, find, func(ctx context.Context) (Webhook, error) {
		webhook, err := do[Webhook](ctx, c, r)
		if err == nil && webhook.ID == "" {
			err = &OutcomeError{Err: errors.New(r.name() + ": the answer holds no id")}
		}
		return webhook, err
	})
	if err == nil {
		c.Claim(webhook.ID)
	}
	return webhook, err
}

// UpdateWebhook changes an endpoint. Enabling it resets its failure count.
func (c *Client) UpdateWebhook(ctx context.Context, id string, change WebhookChange) (Webhook, error) {
	if change.Secret != nil {
		c.secrets.add(*change.Secret)
	}
	return do[Webhook](ctx, c, request{method: http.MethodPatch, path: []string{"webhooks", id}, body: change})
}

// DeleteWebhook removes an endpoint; one that is gone is done.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	_, err := do[struct{}](ctx, c, request{method: http.MethodDelete, path: []string{"webhooks", id}})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// SameURL tells whether two URLs are the same but for the case of their scheme
// and host, which a service may normalise.
func SameURL(a, b string) bool {
	if a == b {
		return true
	}
	one, err := url.Parse(a)
	if err != nil {
		return false
	}
	other, err := url.Parse(b)
	if err != nil {
		return false
	}
	one.Host, other.Host = strings.ToLower(one.Host), strings.ToLower(other.Host)
	return one.String() == other.String()
}
