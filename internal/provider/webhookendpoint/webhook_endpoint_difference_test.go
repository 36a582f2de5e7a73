package webhookendpoint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func TestWebhookEndpointDifference(t *testing.T) {
	plain := webhookEndpointModel{endpointSettings: endpointSettings{URL: types.StringValue("https://a.example/hook"), Enabled: types.BoolValue(true)}, Secret: types.StringValue("first")}
	writeOnly := webhookEndpointModel{endpointSettings: plain.endpointSettings, SecretWOVersion: types.Int64Value(1)}
	with := func(m webhookEndpointModel, change func(*webhookEndpointModel)) webhookEndpointModel {
		change(&m)
		return m
	}
	for name, row := range map[string]struct {
		there, planned webhookEndpointModel
		secret         string
		want           client.WebhookSettings
	}{
		"nothing":                   {plain, plain, "", client.WebhookSettings{}},
		"a URL":                     {plain, with(plain, func(m *webhookEndpointModel) { m.URL = types.StringValue("https://b.example/hook") }), "", client.WebhookSettings{URL: client.Some("https://b.example/hook")}},
		"turned off":                {plain, with(plain, func(m *webhookEndpointModel) { m.Enabled = types.BoolValue(false) }), "", client.WebhookSettings{Enabled: client.Some(false)}},
		"a secret":                  {plain, with(plain, func(m *webhookEndpointModel) { m.Secret = types.StringValue("second") }), "", client.WebhookSettings{Secret: client.Some("second")}},
		"a secret after write-only": {writeOnly, plain, "", client.WebhookSettings{Secret: client.Some("first")}},
		"the same version":          {writeOnly, writeOnly, "another", client.WebhookSettings{}},
		"another version":           {writeOnly, with(writeOnly, func(m *webhookEndpointModel) { m.SecretWOVersion = types.Int64Value(2) }), "another", client.WebhookSettings{Secret: client.Some("another")}},
		"write-only from now on":    {plain, writeOnly, "another", client.WebhookSettings{Secret: client.Some("another")}},
		"write-only taken out":      {writeOnly, with(plain, func(m *webhookEndpointModel) { m.Secret = types.StringNull() }), "", client.WebhookSettings{}},
	} {
		if diff := cmp.Diff(row.want, webhookEndpointDifference(row.there, row.planned, row.secret)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The service never returns a secret.
func TestWebhookEndpointTakesARecordOver(t *testing.T) {
	plain := webhookEndpointModel{ID: types.StringValue("wh-1"), endpointSettings: endpointSettings{URL: types.StringValue("https://A.example/hook"), Enabled: types.BoolValue(true)}, Secret: types.StringValue("first")}
	with := func(change func(*webhookEndpointModel)) webhookEndpointModel {
		m := plain
		change(&m)
		return m
	}
	for name, row := range map[string]struct {
		prior  webhookEndpointModel
		record client.Webhook
		want   webhookEndpointModel
	}{
		"nothing is told":       {plain, client.Webhook{}, plain},
		"another case of hosts": {plain, client.Webhook{WebhookSettings: client.WebhookSettings{URL: client.Some("https://a.example/hook")}}, plain},
		"another URL":           {plain, client.Webhook{WebhookSettings: client.WebhookSettings{URL: client.Some("https://b.example/hook")}}, with(func(m *webhookEndpointModel) { m.URL = types.StringValue("https://b.example/hook") })},
		"turned off":            {plain, client.Webhook{WebhookSettings: client.WebhookSettings{Enabled: client.Some(false)}}, with(func(m *webhookEndpointModel) { m.Enabled = types.BoolValue(false) })},
		"a secret not known":    {with(func(m *webhookEndpointModel) { m.Secret = types.StringUnknown() }), client.Webhook{}, with(func(m *webhookEndpointModel) { m.Secret = types.StringNull() })},
	} {
		if diff := func() string {
			row.prior.setRecord(row.record)
			return cmp.Diff(row.want, row.prior, cmp.AllowUnexported(webhookEndpointModel{}))
		}(); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
