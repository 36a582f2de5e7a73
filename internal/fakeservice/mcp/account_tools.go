package mcp

import (
	"context"
	"encoding/json"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onWebhook is a webhook endpoint.
type onWebhook struct {
	WebhookID string `json:"webhook_id" jsonschema:"the id of the endpoint"`
}

// newWebhook are the arguments of a registration.
type newWebhook struct {
	URL     string  `json:"url" jsonschema:"an https URL"`
	Secret  *string `json:"secret,omitempty" jsonschema:"what deliveries are signed with; one is made where it is left out"`
	Enabled *bool   `json:"enabled,omitempty" jsonschema:"true where it is left out"`
}

// changedWebhook are the arguments of a change of an endpoint.
type changedWebhook struct {
	onWebhook
	URL     *string `json:"url,omitempty"`
	Secret  *string `json:"secret,omitempty"`
	Enabled *bool   `json:"enabled,omitempty" jsonschema:"true enables an endpoint again that failures have disabled"`
}

// profile are the arguments of a change of the profile. Its fields are for the schema: that
// one is null, which empties it, and that one is left out are told apart by sent.
type profile struct {
	Name    *string `json:"name,omitempty" jsonschema:"null empties it"`
	Company *string `json:"company,omitempty" jsonschema:"null empties it"`
	Address *string `json:"address,omitempty" jsonschema:"null empties it"`
	VATID   *string `json:"vat_id,omitempty" jsonschema:"null empties it"`

	sent core.ProfileChange
}

// UnmarshalJSON reads what was sent.
func (p *profile) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.sent) }

// addAccount adds the tools for the account.
func (t tools) addAccount() {
	s := t.Service
	add(t, about{
		name: "get_account", title: "The account", effect: reading,
		text: "Shows the account and its profile, which goes on receipts.",
	}, func(ctx context.Context, _ none) (core.Account, error) { return s.Account(ctx) })
	add(t, about{
		name: "update_account", title: "Change the profile", effect: replacing, empties: true,
		text: "Changes the profile, which goes on receipts. What is left out stays.",
	}, func(_ context.Context, in profile) (core.Account, error) { return s.UpdateProfile(in.sent) })
	add(t, about{
		name: "get_billing", title: "Billing", effect: reading,
		text: "Lists subscriptions and charges.",
	}, func(ctx context.Context, _ none) (core.BillingRecord, error) { return s.Billing(ctx) })
	add(t, about{
		name: "list_webhooks", title: "Webhook endpoints", effect: reading,
		text: "Lists the webhook endpoints, without their secrets.",
	}, func(ctx context.Context, _ none) (core.WebhookList, error) { return s.ListWebhooks(ctx) })
	add(t, about{
		name: "create_webhook", title: "Add a webhook endpoint", effect: doing,
		text:    "Registers an https URL to which every event is delivered.",
		secrets: "the secret that deliveries are signed with, which is shown this once",
	}, func(_ context.Context, in newWebhook) (core.WebhookRecord, error) {
		return s.CreateWebhook(core.WebhookChange{URL: &in.URL, Secret: in.Secret, Enabled: in.Enabled})
	})
	add(t, about{
		name: "update_webhook", title: "Change a webhook endpoint", effect: replacing,
		text: "Changes a webhook endpoint. Enabling one sets its count of failures back.",
	}, func(_ context.Context, in changedWebhook) (core.WebhookRecord, error) {
		return s.UpdateWebhook(in.WebhookID, core.WebhookChange{URL: in.URL, Secret: in.Secret, Enabled: in.Enabled})
	})
	add(t, about{
		name: "delete_webhook", title: "Delete a webhook endpoint", effect: replacing,
		text: "Deletes a webhook endpoint. Nothing more is delivered to it.",
	}, func(_ context.Context, in onWebhook) (none, error) { return none{}, s.DeleteWebhook(in.WebhookID) })
}
