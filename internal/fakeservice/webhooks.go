package fakeservice

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
)

func (st *state) webhook(c *call) (*Webhook, error) {
	at := slices.IndexFunc(st.webhooks, func(w *Webhook) bool { return w.ID == c.param("id") })
	if at < 0 {
		return nil, notFound("there is no webhook endpoint %q", c.param("id"))
	}
	return st.webhooks[at], nil
}

// viewWebhook is an endpoint as the API shows it, which is without its secret.
func viewWebhook(w *Webhook) map[string]any {
	return map[string]any{
		"id": w.ID, "url": w.URL, "enabled": w.Enabled,
		"consecutive_failures": w.ConsecutiveFailures, "created_at": w.CreatedAt,
	}
}

func (st *state) listWebhooks(*call) response {
	views := make([]map[string]any, 0, len(st.webhooks))
	for _, w := range st.webhooks {
		views = append(views, viewWebhook(w))
	}
	return answer(http.StatusOK, map[string]any{"webhooks": views})
}

func (st *state) getWebhook(c *call) response {
	w, err := st.webhook(c)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, viewWebhook(w))
}

// webhookChange is what a request says of an endpoint. What is nil was not
// sent.
type webhookChange struct {
	URL     *string
	Secret  *string
	Enabled *bool
}

func (change webhookChange) check() error {
	if change.URL != nil && !isEndpointURL(*change.URL) {
		return invalid("url", "it must be an https URL")
	}
	if change.Secret != nil && *change.Secret == "" {
		return invalid("secret", "it must not be empty; leave it out and one is made")
	}
	return nil
}

func (change webhookChange) apply(w *Webhook) {
	if change.URL != nil {
		w.URL = *change.URL
	}
	if change.Secret != nil {
		w.Secret = *change.Secret
	}
	if change.Enabled != nil {
		w.Enabled = *change.Enabled
		// Enabling gives the endpoint its twenty failures back.
		if w.Enabled {
			w.ConsecutiveFailures = 0
		}
	}
}

// isEndpointURL tells whether events may go there. The service wants https;
// plain http is let through for loopback alone, where a receiver under test
// has no certificate.
func isEndpointURL(text string) bool {
	if !isWebURL(text) {
		return false
	}
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	return u.Scheme == "https" || isLoopback(u.Hostname())
}

// isLoopback tells whether a host name stands for this machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

func (st *state) createWebhook(c *call) response {
	var wanted webhookChange
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	if wanted.URL == nil {
		return fail(invalid("url", "it is required"))
	}
	if err := wanted.check(); err != nil {
		return fail(err)
	}
	w := &Webhook{ID: newID("wh"), Enabled: true, Secret: newSecret(), CreatedAt: st.now}
	wanted.apply(w)
	st.webhooks = append(st.webhooks, w)
	view := viewWebhook(w)
	view["secret"] = w.Secret
	return answer(http.StatusCreated, view)
}

func (st *state) updateWebhook(c *call) response {
	w, err := st.webhook(c)
	if err != nil {
		return fail(err)
	}
	var change webhookChange
	if err := c.decode(&change); err != nil {
		return fail(err)
	}
	if err := change.check(); err != nil {
		return fail(err)
	}
	change.apply(w)
	return answer(http.StatusOK, viewWebhook(w))
}

func (st *state) deleteWebhook(c *call) response {
	w, err := st.webhook(c)
	if err != nil {
		return fail(err)
	}
	st.removeWebhook(w.ID)
	return response{status: http.StatusNoContent}
}

func (st *state) removeWebhook(id string) bool {
	before := len(st.webhooks)
	st.webhooks = slices.DeleteFunc(st.webhooks, func(w *Webhook) bool { return w.ID == id })
	return len(st.webhooks) < before
}
