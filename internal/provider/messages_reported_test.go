package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// These are messages that once confused users, or came too late, with their current text.
// A mistake that is reported only once has one diagnostic, however often it occurs.
func TestMessagesOfCommonMistakes(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	fake.AddInstance(fakeservice.Instance{ID: "i-4f2a", Name: "shop", Plan: "free", Region: "eu-central"})
	c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: fake}})
	if err != nil {
		t.Fatal(err)
	}
	base := resourceBase{resourceData{client: c, planned: newPlanned()}}
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
			addError(diags, "The state belongs to another account", &otherAccountError{seen: accountNote{"acc-1", "https://hosting.example"}, now: accountNote{"acc-2", "https://other.example"}})
		}, "The state belongs to another account: The state belongs to account acc-1 at https://hosting.example, and this run uses account acc-2 at https://other.example.\n\n" +
			"What belongs to account acc-1 at https://hosting.example was not changed and stays in the state."},
		"wrong key": {func(diags *diag.Diagnostics) {
			check := newServiceCheck(c)
			for range 3 {
				check.endsRun(refusedWith(401, "unauthorized", "GET", "/plans", "the API key is not known"), diags)
			}
		}, "The API key is not valid: The API key is not known (GET /plans answered 401 unauthorized, request req-7).\n\n" +
			"Check api_key or HOSTING_API_KEY; keys are created on the portal's Access page."},
		"dead service": {func(diags *diag.Diagnostics) {
			unheard, err := client.New(client.Options{BaseURL: sampleURL, APIKey: "key"})
			if err != nil {
				t.Fatal(err)
			}
			check := newServiceCheck(unheard)
			for range 3 {
				check.endsRun(fmt.Errorf("GET /plans: %w", &client.UnreachableError{BaseURL: sampleURL, Err: errors.New("connection refused")}), diags)
			}
		}, "The service did not answer: GET /plans: https://hosting.example/api/v1: connection refused.\n\n" +
			"Check the base URL: the provider's base_url or the environment variable HOSTING_BASE_URL. It is the service's REST address and ends in /api/v1. " +
			"If it is correct, there is a network problem between you and the service: try again later. The state is unchanged."},
		"engine missing": {func(diags *diag.Diagnostics) {
			id := types.StringValue("i-4f2a")
			base.planned.noteInstance(id, "free", map[string]int64{"redis": 64})
			base.checkEngineOn("postgres", "database", id, diags)
		}, "The engine postgres is off: The postgres engine is needed for the database, but the plan leaves it off on instance i-4f2a. Add postgres = {} to the engines of the instance."},
		"NEXT_PUBLIC_ in secret_env_wo": {func(diags *diag.Diagnostics) {
			diags.AddWarning("Secret variables will be public", publicSecretsText([]string{"NEXT_PUBLIC_KEY"}, "web"))
		}, "Secret variables will be public: NEXT_PUBLIC_KEY of app web is built into what browsers download; it is not secret. Move public values to env. Name secrets without the prefix NEXT_PUBLIC_."},
		"several of them": {func(diags *diag.Diagnostics) {
			diags.AddWarning("Secret variables will be public", publicSecretsText([]string{"NEXT_PUBLIC_A", "NEXT_PUBLIC_B"}, "web"))
		}, "Secret variables will be public: NEXT_PUBLIC_A, NEXT_PUBLIC_B of app web are built into what browsers download; they are not secret. Move public values to env. Name secrets without the prefix NEXT_PUBLIC_."},
		`tags = [""]`: {func(diags *diag.Diagnostics) {
			resp := validator.SetResponse{}
			noEmpty{"tag"}.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"), ConfigValue: setOfStrings("a", "")}, &resp)
			diags.Append(resp.Diagnostics...)
		}, "Empty tag: tags contains an empty tag. Remove it."},
		"tags = [null]": {func(diags *diag.Diagnostics) {
			resp := validator.SetResponse{}
			null := types.SetValueMust(types.StringType, []attr.Value{types.StringNull(), types.StringUnknown()})
			noEmpty{"tag"}.ValidateSet(t.Context(), validator.SetRequest{Path: path.Root("tags"), ConfigValue: null}, &resp)
			diags.Append(resp.Diagnostics...)
		}, "Empty tag: tags contains an empty tag. Remove it."},
		"env = {A = null}": {func(diags *diag.Diagnostics) {
			resp := validator.MapResponse{}
			env := types.MapValueMust(types.StringType, map[string]attr.Value{"A": types.StringNull(), "B": types.StringValue(""), "C": types.StringUnknown()})
			noNullValue{}.ValidateMap(t.Context(), validator.MapRequest{Path: path.Root("env"), ConfigValue: env}, &resp)
			diags.Append(resp.Diagnostics...)
		}, `Null value: env["A"] is null. Give it a value or leave it out.`},
		`request_timeout = "5"`: {func(diags *diag.Diagnostics) {
			resp := validator.StringResponse{}
			requestDuration().ValidateString(t.Context(), validator.StringRequest{Path: path.Root("request_timeout"), ConfigValue: types.StringValue("5")}, &resp)
			diags.Append(resp.Diagnostics...)
		}, `Invalid duration: request_timeout "5" has no unit. Write 5s, 20m or 1h.`},
		`timeouts = {create = "45"}`: {func(diags *diag.Diagnostics) {
			nested, _ := resourceTimeouts(t.Context(), timeouts.Opts{Create: true}).(schema.SingleNestedAttribute)
			create, _ := nested.Attributes["create"].(schema.StringAttribute)
			for _, rule := range create.Validators {
				resp := validator.StringResponse{}
				rule.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("timeouts").AtName("create"), ConfigValue: types.StringValue("45")}, &resp)
				diags.Append(resp.Diagnostics...)
			}
		}, `Invalid duration: timeouts.create "45" has no unit. Write 45m.`},
		"destroy, protected": {func(diags *diag.Diagnostics) {
			protectedObject{Title: "App web", ImportID: "i-4f2a/web"}.refuseDestruction(diags, path.Root("deletion_protection"))
		}, "App web is protected from deletion: App web (i-4f2a/web) is protected. Set deletion_protection = false, apply, then destroy. Deleted the block? Put it back first. Renamed it? Add a moved block.\n\n" +
			`Tainted? Run terraform untaint first. Deposed? See "Take back a deposed object" in the guide "Protecting and destroying".`},
		"rotation": {func(diags *diag.Diagnostics) {
			planRotate(t.Context(), &actionPlan{client: c, arguments: map[string]types.String{"instance_id": types.StringValue("i-4f2a")}, diags: diags})
		}, "A rotation replaces all passwords: Rotating instance shop (i-4f2a) replaces every password, in the owner and the read-only URLs, and the auth service key; old ones stop working at once. " +
			"Replace them wherever they are used. The auth anon key stays the same."},
		"second apply before the checkout": {func(diags *diag.Diagnostics) {
			addUpdateError(diags, instanceModel{Name: types.StringValue("shop")}, &client.CheckoutError{InstanceID: "i-4f2a", URL: "https://portal.example/checkout/1"})
		}, "Instance shop still waits for its checkout: Instance i-4f2a waits for its checkout: open https://portal.example/checkout/1 to finish its creation."},
		"an import ID of another form": {func(diags *diag.Diagnostics) { importByInstance("id").split("i-4f2a/web", diags) },
			`Invalid import ID: The import ID is the instance's id, such as i-4f2a, not "i-4f2a/web".`},
		"a name as an import ID": {func(diags *diag.Diagnostics) { addNameForID(diags, "id", "shop", []string{"i-4f2a"}) },
			"Unknown instance: shop is an instance's name; its id is i-4f2a."},
		"auth alone": {func(diags *diag.Diagnostics) {
			m := sized("free", map[string]int64{"auth": 0})
			m.validate(diags)
		}, "The auth engine needs postgres and apps: The auth engine needs postgres and apps on the same instance. Add postgres = {}, apps = {} to engines, or remove auth."},
		"paid": {func(diags *diag.Diagnostics) {
			checkPlan("", "small", client.Plans{Plans: []client.Plan{{ID: "small", PriceCents: 900, Currency: "EUR"}}}, diags)
		}, "Plan small is paid: It costs 9.00 EUR a month. "},
	} {
		var diags diag.Diagnostics
		row.report(&diags)
		if len(diags) != 1 {
			t.Errorf("%s: got %d diagnostics, want 1: %v", name, len(diags), diags)
			continue
		}
		if got := diags[0].Summary() + ": " + diags[0].Detail(); !strings.HasPrefix(got, row.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, row.want)
		}
	}
}
