package portal

import (
	"net/url"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func endpointPath(id string, parts ...string) string {
	return strings.Join(append([]string{Root, "integrations", url.PathEscape(id)}, parts...), "/")
}

func showIntegrations(c *call) (*page, error) {
	list, err := c.Service.ListWebhooks(c.context())
	if err != nil {
		return nil, err
	}
	return &page{Title: "Integrations", Template: "integrations", Section: "integrations", Data: list.Webhooks, Forms: []*form{{
		ID: "endpoint", Action: Root + "/integrations", Title: "New webhook endpoint", Submit: "Add the endpoint",
		Fields: []*field{
			{Name: "url", Label: "URL", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: "An https URL that gets every event."},
			{Name: "secret", Label: "Secret", Kind: "password", Autocomplete: "new-password", Help: "Signs deliveries. One is made and shown once when this is left empty."},
		},
	}}}, nil
}

func createEndpoint(c *call) (outcome, error) {
	address := strings.TrimSpace(c.r.PostForm.Get("url"))
	wanted := core.WebhookChange{URL: &address}
	if secret := c.r.PostForm.Get("secret"); secret != "" {
		wanted.Secret = &secret
	}
	made, err := c.Service.CreateWebhook(wanted)
	return outcome{to: endpointPath(made.ID), notice: notice{
		Text: "The endpoint is added. Copy its secret now: it is not shown again.", Secret: made.Secret, SecretName: "signing secret",
	}}, err
}

func sendTestEvent(c *call) (outcome, error) {
	sent, err := c.Service.SendTestEvent(c.param("endpoint"))
	return outcome{to: endpointPath(sent.WebhookID), notice: notice{Text: "The test event is on its way, as delivery " + sent.ID + "."}}, err
}

// endpointShown is an endpoint with its deliveries.
type endpointShown struct {
	Endpoint   core.WebhookRecord
	Deliveries []core.DeliveryRecord
}

func showEndpoint(c *call) (*page, error) {
	record, err := c.Service.Webhook(c.context(), c.param("endpoint"))
	if err != nil {
		return nil, err
	}
	deliveries, err := c.Service.Deliveries(record.ID)
	if err != nil {
		return nil, err
	}
	p := &page{Title: "Webhook endpoint " + record.URL, Template: "endpoint", Section: "integrations", Live: endpointPath(record.ID), Data: endpointShown{record, deliveries}, Forms: []*form{
		button("test", endpointPath(record.ID, "test"), "Send a test event"),
		{ID: "endpoint", Action: endpointPath(record.ID), Title: "Settings", Submit: "Save", Fields: []*field{
			{Name: "url", Label: "URL", Kind: "text", Value: record.URL, Required: true, Autocomplete: "off", Code: true},
			{Name: "secret", Label: "New secret", Kind: "password", Autocomplete: "new-password", Help: "Stays as it is when left empty."},
			{Name: "enabled", Label: "Enabled", Kind: checkbox, Checked: record.Enabled},
		}},
		question("delete", endpointPath(record.ID, "delete"), "Delete the endpoint", "Nothing more is delivered to it.",
			"Endpoint: "+record.URL, "Its signing secret and its last deliveries"),
	}}
	if !record.Enabled {
		p.Forms = append(p.Forms, button("enable", endpointPath(record.ID, "enable"), "Enable it again"))
	}
	return p, nil
}

func updateEndpoint(c *call) (outcome, error) {
	address, enabled := strings.TrimSpace(c.r.PostForm.Get("url")), c.r.PostForm.Has("enabled")
	present, err := c.Service.Webhook(c.context(), c.param("endpoint"))
	if err != nil {
		return outcome{}, err
	}
	wanted := core.WebhookChange{URL: &address}
	// Enabling an enabled endpoint would reset its count of failures.
	if enabled != present.Enabled {
		wanted.Enabled = &enabled
	}
	if secret := c.r.PostForm.Get("secret"); secret != "" {
		wanted.Secret = &secret
	}
	_, err = c.Service.UpdateWebhook(present.ID, wanted)
	return outcome{to: endpointPath(present.ID), notice: notice{Text: "The endpoint is saved."}}, err
}

func enableEndpoint(c *call) (outcome, error) {
	on := true
	_, err := c.Service.UpdateWebhook(c.param("endpoint"), core.WebhookChange{Enabled: &on})
	return outcome{to: endpointPath(c.param("endpoint")), notice: notice{Text: "The endpoint is enabled."}}, err
}

func deleteEndpoint(c *call) (outcome, error) {
	err := c.Service.DeleteWebhook(c.param("endpoint"))
	return outcome{to: Root + "/integrations", notice: notice{Text: "The endpoint is deleted."}}, err
}
