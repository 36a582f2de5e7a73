package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A Webhook is an https endpoint of the customer's that receives every event
// (SERVICE.md#webhooks).
type Webhook struct {
	ID string `json:"id"`
	WebhookSettings
	ConsecutiveFailures Informal[Maybe[Whole]] `json:"consecutive_failures"`
	CreatedAt           Time                   `json:"created_at"`
	// Adopted reports that the answer to CreateWebhook was lost and a new endpoint with the
	// same URL was found.
	Adopted bool `json:"-"`
}

// WebhookSettings are the settings of a webhook endpoint, in its record and in the requests
// that create and change it. In a change, a field that is not set does not change.
type WebhookSettings struct {
	URL     Maybe[string] `json:"url,omitzero"`
	Secret  Maybe[string] `json:"secret,omitzero"` // in no record, only in the answer that sets it
	Enabled Maybe[bool]   `json:"enabled,omitzero"`
}

// Identifier returns the endpoint's id.
func (w Webhook) Identifier() string { return w.ID }

// HasOtherSecret reports whether an answer shows another secret than the one that was sent.
// An answer without a secret, or with a sign of a mask in it, shows none.
func (w Webhook) HasOtherSecret(sent string) bool {
	shown := w.Secret.Value
	return shown != "" && shown != sent && !strings.ContainsAny(shown, maskSigns)
}

// Webhook reads a webhook endpoint.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	webhook, err := getRecord[Webhook](ctx, c, transport.Request{Path: []string{"webhooks", id}}, id)
	c.secrets.AddEndpoint(webhook.URL.Value)
	return webhook, err
}

// Webhooks reads all webhook endpoints of the account.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	webhooks, err := hidden(list[Webhook](ctx, c, "webhooks", "webhooks"))
	for _, webhook := range webhooks {
		c.secrets.AddEndpoint(webhook.URL.Value)
	}
	return webhooks, err
}

// CreateWebhook registers an endpoint. The caller chooses the secret, so that an endpoint
// can be found by its URL if the answer was lost. An endpoint has no unique name, so a
// POST with a lost answer is not sent again. Instead, CreateWebhook adopts the one
// endpoint that did not exist before, and returns an *AmbiguousError if there are several.
func (c *Client) CreateWebhook(ctx context.Context, wanted WebhookSettings) (Webhook, error) {
	ctx = lifetime.WithGracePeriod(ctx)
	endpoint := wanted.URL.Value
	c.secrets.Add(wanted.Secret.Value)
	c.secrets.AddEndpoint(endpoint)
	// Endpoints with the same URL are created one at a time, so that none adopts another.
	leave, err := c.endpoints.enter(ctx, endpointKey(endpoint))
	if err != nil {
		return Webhook{}, err
	}
	defer leave()
	existing, err := c.reads.webhooks.get(ctx, "", recent(), c.Webhooks)
	if err != nil {
		return Webhook{}, err
	}
	r := transport.Request{
		Method: http.MethodPost,
		Path:   []string{"webhooks"},
		Body:   wanted,
		Key:    c.random.Key(),
	}
	webhook, err := transport.Do[Webhook](ctx, c.sender, r)
	if err == nil && webhook.ID == "" {
		err = &transport.OutcomeError{Err: c.sender.Foreign(r, "the answer has no id")}
	}
	_, before := find(existing, webhook.ID)
	switch {
	case transport.OutcomeUnknown(err):
		webhook, err = c.findWebhook(ctx, endpoint, existing, err)
	case err == nil && before:
		err = notNew("webhook endpoint", webhook.ID)
	}
	if err == nil {
		c.Claim(webhook.ID)
		c.secrets.Add(webhook.Secret.Value)
	}
	return webhook, err
}

// WebhookNamesakes returns the endpoints of the same URL that this process neither
// created nor has in its state. An earlier run may have been killed between its POST and
// saving the id.
func (c *Client) WebhookNamesakes(ctx context.Context, endpoint string) ([]string, error) {
	existing, err := c.reads.webhooks.get(ctx, "", recent(), c.Webhooks)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, webhook := range existing {
		if endpointKey(webhook.URL.Value) == endpointKey(endpoint) && !c.HasClaimed(webhook.ID) {
			ids = append(ids, webhook.ID)
		}
	}
	return ids, nil
}

// findWebhook looks for the one endpoint that a create request with a lost answer may have
// created.
func (c *Client) findWebhook(ctx context.Context, endpoint string, existing []Webhook, lost error) (Webhook, error) {
	begun := time.Now()
	webhook, found, err := look(ctx, c, shortPatience, func(ctx context.Context) (Webhook, bool, error) {
		webhooks, err := c.Webhooks(ctx)
		if err != nil {
			return Webhook{}, false, err
		}
		var candidates []Webhook
		var ids []string
		for _, webhook := range webhooks {
			if _, before := find(existing, webhook.ID); !before && endpointKey(webhook.URL.Value) == endpointKey(endpoint) && !c.HasClaimed(webhook.ID) {
				candidates = append(candidates, webhook)
				ids = append(ids, webhook.ID)
			}
		}
		switch len(candidates) {
		case 0:
			return Webhook{}, false, nil
		case 1:
			webhook := candidates[0]
			webhook.Adopted = true
			return webhook, true, nil
		}
		return Webhook{}, false, permanent(&AmbiguousError{Noun: "webhook endpoint", Name: ShownURL(endpoint), Candidates: ids})
	})
	if ambiguous := (*AmbiguousError)(nil); found || errors.As(err, &ambiguous) {
		return webhook, err
	}
	unknown := &UnknownCreationError{What: "the webhook endpoint " + ShownURL(endpoint), Looked: time.Since(begun), Err: lost}
	return Webhook{}, errors.Join(unknown, err)
}

// endpointKey is like CanonicalURL, without a slash at the end: a service may add one when
// it stores an endpoint (SERVICE.md#tolerance).
func endpointKey(endpoint string) string { return strings.TrimSuffix(CanonicalURL(endpoint), "/") }

// shownBy reports whether no record contradicts the change. None has the secret, and one may
// have the URL in another form.
func (change WebhookSettings) shownBy(w Webhook) bool {
	left := Contradicted(change, w.WebhookSettings)
	if left.Secret = (Maybe[string]{}); ShowsURL(w.URL.Value, change.URL.Value) {
		left.URL = Maybe[string]{}
	}
	return IsEmpty(left)
}

// UpdateWebhook changes an endpoint, and reads it back. Enabling it resets its failure
// count. An empty change only reads the endpoint, because a service may refuse an empty
// change.
func (c *Client) UpdateWebhook(ctx context.Context, id string, change WebhookSettings) (Webhook, error) {
	if IsEmpty(change) {
		return c.Webhook(ctx, id)
	}
	c.secrets.Add(change.Secret.Value)
	c.secrets.AddEndpoint(change.URL.Value)
	r := transport.Request{Method: http.MethodPatch, Path: []string{"webhooks", id}, Body: change}
	webhook, err := transport.Do[Webhook](ctx, c.sender, r)
	c.secrets.Add(webhook.Secret.Value)
	if err != nil {
		return webhook, err
	}
	record, err := ReadBack(ctx, c, func(ctx context.Context) (Webhook, error) { return c.Webhook(ctx, id) }, change.shownBy)
	if err != nil && webhook.ID == id {
		return webhook, nil // the answer is the record
	}
	record.Secret = webhook.Secret
	return record, err
}

// DeleteWebhook deletes an endpoint. It succeeds if a read confirms that the endpoint is
// gone. A deletion that is answered with "not found" needs the full proof of an absence.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	_, err := transport.Do[struct{}](ctx, c.sender, transport.Request{Method: http.MethodDelete, Path: []string{"webhooks", id}})
	read := c.Webhook
	switch {
	case err == nil:
		err = fmt.Errorf("the service accepted the deletion, but still has webhook endpoint %s: %w", id, ErrContradiction)
	case errors.Is(err, ErrNotFound):
		read = c.RefreshWebhook
	default:
		return err
	}
	return c.confirmGone(ctx, err, func(ctx context.Context) (bool, error) { return absent(read(ctx, id)) })
}

// RefreshWebhook reads a webhook endpoint for a refresh. It returns ErrNotFound only for
// a confirmed absence.
func (c *Client) RefreshWebhook(ctx context.Context, id string) (Webhook, error) {
	webhook, err := c.Webhook(ctx, id)
	return confirmAbsence(ctx, c, subject{id: "webhooks/" + id}, webhook, err, func(ctx context.Context) (Webhook, error) {
		return c.Webhook(ctx, id)
	}, func(ctx context.Context, isFresh freshness) (bool, error) {
		webhooks, err := c.reads.webhooks.get(ctx, "", isFresh, c.Webhooks)
		_, listed := find(webhooks, id)
		return listed, err
	})
}
