package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// textRuleSamples contains values of an argument x, with the errors of rules for text.
var textRuleSamples = []struct {
	rule        validator.String
	value, want string // "" if the value is valid
}{
	{notEmpty(), "a", ""},
	{notEmpty(), "", "x must not be empty."},
	{atLeastLong(4), "äöüß", ""},
	{atLeastLong(4), "äöü", "x must have at least 4 characters."},
	{beginsWith("/"), "/healthz", ""},
	{beginsWith("/"), "healthz", `x must begin with /, not "healthz"; did you mean "/healthz"?`},
	{repository(), "octo/app", ""},
	{repository(), "https://code.example/octo/app.git", `x must have the form owner/repo, not "https://code.example/octo/app.git"; did you mean "octo/app"?`},
	{repository(), "git@code.example:octo/app", `x must have the form owner/repo, not "git@code.example:octo/app"; did you mean "octo/app"?`},
	{repository(), "app", `x must have the form owner/repo, not "app".`},
	{repository(), "octo/", `x must have the form owner/repo, not "octo/".`},
	{repository(), "octo/my app", `x must have the form owner/repo, not "octo/my app".`},
	{commit(), "64fa505", ""},
	{commit(), "64FA505a8e05", ""},
	{commit(), strings.Repeat("0a", 32), ""},
	{commit(), "main", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "main".`},
	{commit(), "64fa50", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "64fa50".`},
	{commit(), "64fa505g", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "64fa505g".`},
	{commit(), "v1.2.3-64fa505", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "v1.2.3-64fa505".`},
	{commit(), strings.Repeat("a", 65), `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "` + strings.Repeat("a", 65) + `".`},
	{commit(), "", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "".`},
	{alsoNeeds("x", "x_version", stringvalidator.LengthAtLeast(4)), "abc", "x is set and needs x_version as well."},
	{oneOfTwo("x", "y", stringvalidator.LengthAtLeast(4)), "abc", "Set one of x and y, and not the other."},
	{oneOf("on_destroy", "keep", "open"), "kepp", `There is no on_destroy "kepp"; did you mean "keep"? There are: keep, open.`},
	{requestDuration(), "90s", ""},
	{requestDuration(), "5", `x "5" has no unit. Write 5s, 20m or 1h.`},
	{requestDuration(), "soon", `x "soon" is not a duration. Write 30s, 20m or 1h.`},
	{requestDuration(), "-5s", `x "-5s" is not positive. Write 30s, 20m or 1h.`},
	{timeoutDuration(), "1h30m", ""},
	{timeoutDuration(), "45", `x "45" has no unit. Write 45m.`},
	{timeoutDuration(), "", `x "" is not a duration. Write 45m.`},
	{webURL{httpsOnly: true}, "http://a.example", `"http://a.example" must be an absolute https URL, like https://example.com/hook.`},
}

// refusalOf returns a rule's errors about a value of the argument x.
func refusalOf(rule validator.String, value string) diag.Diagnostics {
	var resp validator.StringResponse
	rule.ValidateString(context.Background(), validator.StringRequest{Path: path.Root("x"), ConfigValue: types.StringValue(value)}, &resp)
	return resp.Diagnostics
}

func TestTextRules(t *testing.T) {
	for _, row := range textRuleSamples {
		got := ""
		if refusal := refusalOf(row.rule, row.value); refusal.HasError() {
			got = refusal[0].Detail()
		}
		if got != row.want {
			t.Errorf("%q: %q, want %q", row.value, got, row.want)
		}
	}
}

func TestNumberRules(t *testing.T) {
	for _, row := range []struct {
		rule numberRule
		n    int64
		want string
	}{
		{numberRule{least: 1, most: 65535}, 65535, ""},
		{numberRule{least: 1, most: 65535}, 65536, "x must be from 1 to 65535, not 65536."},
		{numberRule{least: 1}, 1, ""},
		{numberRule{least: 1}, 0, "x must be at least 1, not 0."},
		{numberRule{least: 0.1, most: 1000}, 0, "x must be from 0.1 to 1000, not 0."},
	} {
		var resp validator.Int64Response
		row.rule.ValidateInt64(context.Background(), validator.Int64Request{Path: path.Root("x"), ConfigValue: types.Int64Value(row.n)}, &resp)
		var asFloat validator.Float64Response
		row.rule.ValidateFloat64(context.Background(), validator.Float64Request{Path: path.Root("x"), ConfigValue: types.Float64Value(float64(row.n))}, &asFloat)
		got, gotFloat := "", ""
		if resp.Diagnostics.HasError() {
			got, gotFloat = resp.Diagnostics[0].Detail(), asFloat.Diagnostics[0].Detail()
		}
		if got != row.want || gotFloat != row.want {
			t.Errorf("%d: %q, %q, want %q", row.n, got, gotFloat, row.want)
		}
	}
}
