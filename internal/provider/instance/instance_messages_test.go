package instance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

func TestInstanceMessages(t *testing.T) {
	for name, row := range map[string]struct {
		report func(*diag.Diagnostics)
		want   string
	}{
		"second apply before the checkout": {func(diags *diag.Diagnostics) {
			addUpdateError(diags, instanceModel{instanceSettings: instanceSettings{Name: types.StringValue("shop")}}, &client.CheckoutError{InstanceID: "i-4f2a", URL: "https://portal.example/checkout/1"})
		}, "Instance shop still waits for its checkout: Instance i-4f2a waits for its checkout: open https://portal.example/checkout/1 to finish its creation."},
		"auth alone": {func(diags *diag.Diagnostics) {
			m := sized("free", map[string]int64{"auth": 0})
			m.validate(diags)
		}, "The auth engine needs postgres and apps: The auth engine needs postgres and apps on the same instance. Add postgres = {}, apps = {} to engines, or remove auth."},
		"moved to another plan": {func(diags *diag.Diagnostics) {
			checkPlan("legacy", "tiny", client.Plans{Plans: []client.Plan{{ID: "small"}}}, diags)
		}, `Unknown plan: The instance is on the plan "legacy". There is no plan "tiny"; there are: small.`},
		"paid": {func(diags *diag.Diagnostics) {
			checkPlan("", "small", client.Plans{Plans: []client.Plan{{ID: "small", PriceCents: 900, Currency: "EUR"}}}, diags)
		}, "Plan small is paid: It costs 9.00 EUR a month. "},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			row.report(&diags)
			providertest.CheckMessage(t, diags, row.want)
		})
	}
}
