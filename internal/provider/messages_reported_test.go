package provider

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// These are messages that once confused users, or came too late, with their current text.
// A mistake that is reported only once has one diagnostic, however often it occurs.
func TestMessagesOfCommonMistakes(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: fake}})
	if err != nil {
		t.Fatal(err)
	}
	managed := base.Resource{Data: base.Data{Client: c, Planned: planning.New()}}
	setOfStrings := func(elements ...string) types.Set {
		set, diags := types.SetValueFrom(t.Context(), types.StringType, elements)
		if diags.HasError() {
			t.Fatal(diags)
		}
		return set
	}
	for name, row := range map[string]struct {
		report func(*diag.Diagnostics)
		want   string // beginning of the only diagnostic: summary, colon, detail
	}{
		"another service": {func(diags *diag.Diagnostics) {
			diagnostics.AddClientError(diags, "The state belongs to another account", &base.OtherAccountError{Seen: base.AccountNote{ID: "acc-1", Origin: "https://hosting.example"}, Now: base.AccountNote{ID: "acc-2", Origin: "https://other.example"}})
		}, "The state belongs to another account: The state belongs to account acc-1 at https://hosting.example, and this run uses account acc-2 at https://other.example.\n\n" +
			"What belongs to account acc-1 at https://hosting.example was not changed and stays in the state."},
		"wrong key": {func(diags *diag.Diagnostics) {
			check := diagnostics.NewServiceCheck(c)
			for range 3 {
				check.AddReadError(diags, "Unable to read the plans", refusedWith(401, "unauthorized", "GET", "/plans", "the API key is not known"))
			}
		}, "The API key is not valid: The API key is not known (GET /plans answered 401 unauthorized, request req-7).\n\n" +
			"Check api_key or HOSTING_API_KEY; keys are created on the portal's Access page."},
		"dead service": {func(diags *diag.Diagnostics) {
			unheard, err := client.New(client.Options{BaseURL: sampleURL, APIKey: "key"})
			if err != nil {
				t.Fatal(err)
			}
			check := diagnostics.NewServiceCheck(unheard)
			for range 3 {
				check.AddReadError(diags, "Unable to read the plans", fmt.Errorf("GET /plans: %w", &transport.UnreachableError{BaseURL: sampleURL, Err: errors.New("connection refused")}))
			}
		}, "The service did not answer: GET /plans: https://hosting.example/api/v1: connection refused.\n\n" +
			"Check the base URL: the provider's base_url or the environment variable HOSTING_BASE_URL. It is the service's REST address and ends in /api/v1. " +
			"If it is correct, there is a network problem between you and the service: try again later."},
		"engine missing": {func(diags *diag.Diagnostics) {
			id := types.StringValue("i-4f2a")
			managed.Planned.NoteInstance(id, "free", map[string]int64{"redis": 64})
			managed.CheckEngineOn("postgres", "database", id, diags)
		}, "The engine postgres is off: The postgres engine is needed for the database, but the plan leaves it off on instance i-4f2a. Add postgres = {} to the engines of the instance."},
		`tags = [""]`: {func(diags *diag.Diagnostics) {
			resp := validator.SetResponse{}
			attributes.NoEmptyElement{What: "tag"}.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"), ConfigValue: setOfStrings("a", "")}, &resp)
			diags.Append(resp.Diagnostics...)
		}, "Empty tag: tags contains an empty tag. Remove it."},
		"tags = [null]": {func(diags *diag.Diagnostics) {
			resp := validator.SetResponse{}
			null := types.SetValueMust(types.StringType, []attr.Value{types.StringNull(), types.StringUnknown()})
			attributes.NoEmptyElement{What: "tag"}.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"), ConfigValue: null}, &resp)
			diags.Append(resp.Diagnostics...)
		}, "Empty tag: tags contains an empty tag. Remove it."},
		"env = {A = null}": {func(diags *diag.Diagnostics) {
			resp := validator.MapResponse{}
			env := types.MapValueMust(types.StringType, map[string]attr.Value{"A": types.StringNull(), "B": types.StringValue(""), "C": types.StringUnknown()})
			attributes.NoNullValue{}.ValidateMap(t.Context(), validator.MapRequest{Path: path.Root("env"), ConfigValue: env}, &resp)
			diags.Append(resp.Diagnostics...)
		}, `Null value: env["A"] is null. Give it a value or leave it out.`},
		`request_timeout = "5"`: {func(diags *diag.Diagnostics) {
			resp := validator.StringResponse{}
			attributes.RequestDuration().ValidateString(t.Context(), validator.StringRequest{Path: path.Root("request_timeout"), ConfigValue: types.StringValue("5")}, &resp)
			diags.Append(resp.Diagnostics...)
		}, `Invalid duration: request_timeout "5" has no unit. Write 5s, 20m or 1h.`},
		`timeouts = {create = "45"}`: {func(diags *diag.Diagnostics) {
			nested, _ := attributes.ResourceTimeouts(t.Context(), timeouts.Opts{Create: true}).(schema.SingleNestedAttribute)
			create, _ := nested.Attributes["create"].(schema.StringAttribute)
			for _, rule := range create.Validators {
				resp := validator.StringResponse{}
				rule.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("timeouts").AtName("create"), ConfigValue: types.StringValue("45")}, &resp)
				diags.Append(resp.Diagnostics...)
			}
		}, `Invalid duration: timeouts.create "45" has no unit. Write 45m.`},
		"destroy, protected": {func(diags *diag.Diagnostics) {
			base.ProtectedObject{Title: "App web", ImportID: "i-4f2a/web"}.RefuseDestruction(diags, path.Root("deletion_protection"))
		}, "App web is protected from deletion: App web (i-4f2a/web) is protected. Set deletion_protection = false, apply, then destroy. Deleted the block? Put it back first. Renamed it? Add a moved block.\n\n" +
			`Tainted? Run terraform untaint first. Deposed? See "Take back a deposed object" in the guide "Protecting and destroying".`},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			row.report(&diags)
			providertest.CheckMessage(t, diags, row.want)
		})
	}
}
