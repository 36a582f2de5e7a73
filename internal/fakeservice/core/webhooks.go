package core

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

func (st *state) webhook(id string) (*Webhook, error) {
	at := slices.IndexFunc(st.Webhooks, func(w *Webhook) bool { return w.ID == id })
	if at < 0 {
		return nil, notFound("there is no webhook endpoint %q", id)
	}
	return st.Webhooks[at], nil
}

// WebhookRecord is an endpoint as the API shows it. Only the answer to its creation shows
// the secret.
type WebhookRecord struct {
	ID                  string    `json:"id"`
	URL                 string    `json:"url"`
	Enabled             bool      `json:"enabled"`
	ConsecutiveFailures int       `json:"consecutive_failures"`
	CreatedAt           time.Time `json:"created_at"`
	Secret              string    `json:"secret,omitempty"`
}

func recordOf(w *Webhook) (record WebhookRecord) {
	show(&record, w)
	record.Secret = ""
	return record
}

// WebhookList lists the account's endpoints.
type WebhookList struct {
	Webhooks []WebhookRecord `json:"webhooks"`
}

// ListWebhooks returns the endpoints as the API shows them.
func (s *Service) ListWebhooks(ctx context.Context) (WebhookList, error) {
	return look(ctx, s, func(st *state) (WebhookList, error) {
		list := WebhookList{Webhooks: []WebhookRecord{}}
		for _, w := range st.Webhooks {
			list.Webhooks = append(list.Webhooks, recordOf(w))
		}
		return list, nil
	})
}

// Webhook returns one endpoint as the API shows it.
func (s *Service) Webhook(ctx context.Context, id string) (WebhookRecord, error) {
	return look(ctx, s, func(st *state) (WebhookRecord, error) {
		w, err := st.webhook(id)
		if err != nil {
			return WebhookRecord{}, err
		}
		return recordOf(w), nil
	})
}

// WebhookChange contains the fields of a request about an endpoint. A nil field was not
// sent.
type WebhookChange struct {
	URL     *string `json:"url,omitempty" jsonschema:"an https URL"`
	Secret  *string `json:"secret,omitempty" jsonschema:"what deliveries are signed with; one is made for a new endpoint without it"`
	Enabled *bool   `json:"enabled,omitempty" jsonschema:"true enables an endpoint again that failures have disabled; a new one is enabled"`
}

func (change WebhookChange) check() error {
	if change.URL != nil && !isEndpointURL(*change.URL) {
		return invalid("url", "it must be an https URL")
	}
	if change.Secret != nil && *change.Secret == "" {
		return invalid("secret", "it must not be empty; leave it out and one is made")
	}
	return nil
}

func (change WebhookChange) apply(w *Webhook) {
	apply(w, &change)
	// Enabling an endpoint resets its count of failures.
	if change.Enabled != nil && w.Enabled {
		w.ConsecutiveFailures = 0
	}
}

// isEndpointURL reports whether a text is allowed as the URL of an endpoint. The service
// requires https. The fake also accepts plain http on loopback, where a receiver under
// test has no certificate.
func isEndpointURL(text string) bool {
	if !isWebURL(text) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	return u.Scheme == "https" || IsLoopback(u.Hostname())
}

// IsLoopback reports whether a host name refers to this machine.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// CreateWebhook registers an endpoint. The returned record has the secret.
func (s *Service) CreateWebhook(wanted WebhookChange) (WebhookRecord, error) {
	return change(s, func(st *state) (WebhookRecord, error) {
		if wanted.URL == nil {
			return WebhookRecord{}, invalid("url", "it is required")
		}
		if err := wanted.check(); err != nil {
			return WebhookRecord{}, err
		}
		w := &Webhook{ID: newID("wh"), Enabled: true, Secret: newSecret(), CreatedAt: st.Now}
		wanted.apply(w)
		st.Webhooks = append(st.Webhooks, w)
		record := recordOf(w)
		record.Secret = w.Secret
		return record, nil
	})
}

// UpdateWebhook changes an endpoint.
func (s *Service) UpdateWebhook(id string, wanted WebhookChange) (WebhookRecord, error) {
	return change(s, func(st *state) (WebhookRecord, error) {
		w, err := st.webhook(id)
		if err != nil {
			return WebhookRecord{}, err
		}
		if err := wanted.check(); err != nil {
			return WebhookRecord{}, err
		}
		wanted.apply(w)
		return recordOf(w), nil
	})
}

// DeleteWebhook deletes an endpoint.
func (s *Service) DeleteWebhook(id string) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		_, err := st.webhook(id)
		st.removeWebhook(id)
		return struct{}{}, err
	})
	return err
}

func (st *state) removeWebhook(id string) bool {
	before := len(st.Webhooks)
	st.abandonDeliveries(id)
	st.Webhooks = slices.DeleteFunc(st.Webhooks, func(w *Webhook) bool { return w.ID == id })
	return len(st.Webhooks) < before
}
