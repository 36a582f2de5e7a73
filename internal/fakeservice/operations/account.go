package operations

import (
	"context"
	"encoding/json"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// profile is a core.ProfileChange. Its other fields describe the arguments; sent has the
// sent ones, because null and an omitted field differ.
type profile struct {
	Name    *string `json:"name,omitempty" jsonschema:"null empties it"`
	Company *string `json:"company,omitempty" jsonschema:"null empties it"`
	Address *string `json:"address,omitempty" jsonschema:"null empties it"`
	VATID   *string `json:"vat_id,omitempty" jsonschema:"null empties it"`

	sent core.ProfileChange
}

// UnmarshalJSON reads the fields that were sent.
func (p *profile) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.sent) }

func updateProfile(_ context.Context, s Service, in profile) (core.Account, error) {
	return s.UpdateProfile(in.sent)
}

func readBilling(ctx context.Context, s Service, in page) (core.BillingRecord, error) {
	return s.BillingPage(ctx, in.Cursor, in.limit())
}

// onWebhook is the argument that names a webhook endpoint.
type onWebhook struct {
	WebhookID string `json:"webhook_id" jsonschema:"the id of the endpoint"`
}

func readWebhook(ctx context.Context, s Service, in onWebhook) (core.WebhookRecord, error) {
	return s.Webhook(ctx, in.WebhookID)
}

func createWebhook(_ context.Context, s Service, in struct {
	URL string `json:"url" jsonschema:"an https URL"`
	core.WebhookChange
}) (core.WebhookRecord, error) {
	in.WebhookChange.URL = &in.URL
	return s.CreateWebhook(in.WebhookChange)
}

func updateWebhook(_ context.Context, s Service, in struct {
	onWebhook
	core.WebhookChange
}) (core.WebhookRecord, error) {
	return s.UpdateWebhook(in.WebhookID, in.WebhookChange)
}

func deleteWebhook(_ context.Context, s Service, in onWebhook) (None, error) {
	return None{}, s.DeleteWebhook(in.WebhookID)
}
