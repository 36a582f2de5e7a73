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

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// textRuleSamples contains values of an argument x, with the errors of rules for text.
var textRuleSamples = []struct {
	rule        validator.String
	value, want string // "" if the value is valid
}{
	{attributes.NotEmpty(), "a", ""},
	{attributes.NotEmpty(), "", "x must not be empty."},
	{attributes.AtLeastLong(4), "äöüß", ""},
	{attributes.AtLeastLong(4), "äöü", "x must have at least 4 characters."},
	{attributes.BeginsWith("/"), "/healthz", ""},
	{attributes.BeginsWith("/"), "health-z", `x must begin with /, not "health-z"; did you mean "/health-z"?`},
	{attributes.Repository(), "octo/app", ""},
	{attributes.Repository(), "https://code.example/octo/app.git", `x must have the form owner/repo; did you mean "octo/app"?`},
	{attributes.Repository(), "https://code.example/octo/app/tree/main/api", `x must have the form owner/repo; did you mean "octo/app"? The argument branch names the branch; a folder of a repository cannot be chosen.`},
	{attributes.Repository(), "app", `x must have the form owner/repo, not "app".`},
	{attributes.Repository(), "octo/", `x must have the form owner/repo, not "octo/".`},
	{attributes.Repository(), "octo/my app", `x must have the form owner/repo, not "octo/my app".`},
	{attributes.CommitHash(), "64fa505", ""},
	{attributes.CommitHash(), "64FA505a8e05", ""},
	{attributes.CommitHash(), strings.Repeat("0a", 32), ""},
	{attributes.CommitHash(), "v-main", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "v-main".`},
	{attributes.CommitHash(), "64f", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "64f".`},
	{attributes.CommitHash(), "64fa505-", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "64fa505-".`},
	{attributes.CommitHash(), "v1.2.3-64fa505", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "v1.2.3-64fa505".`},
	{attributes.CommitHash(), strings.Repeat("a", 65), `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "` + strings.Repeat("a", 65) + `".`},
	{attributes.CommitHash(), "", `x must be a commit's hash, or its first 7 or more hexadecimal digits, not "".`},
	{attributes.AlsoNeeds("x", "x_version", stringvalidator.LengthAtLeast(4)), "abc", "x is set and needs x_version as well."},
	{attributes.OneOfTwo("x", "y", stringvalidator.LengthAtLeast(4)), "abc", "Set one of x and y, and not the other."},
	{attributes.OneOf("on_destroy", "keep", "open"), "kepp", `There is no on_destroy "kepp"; did you mean "keep"? There are: keep, open.`},
	{attributes.RequestDuration(), "90s", ""},
	{attributes.RequestDuration(), "5", `x "5" has no unit. Write 5s, 20m or 1h.`},
	{attributes.RequestDuration(), "soon", `x "soon" is not a duration. Write 30s, 20m or 1h.`},
	{attributes.RequestDuration(), "-5s", `x "-5s" is not positive. Write 30s, 20m or 1h.`},
	{attributes.TimeoutDuration(), "1h30m", ""},
	{attributes.TimeoutDuration(), "45", `x "45" has no unit. Write 45m.`},
	{attributes.TimeoutDuration(), "-1m", `x "-1m" is not positive. Write 45m.`},
	{attributes.TimeoutDuration(), "0s", `x "0s" is not positive. Write 45m.`},
	{attributes.TimeoutDuration(), "", `x "" is not a duration. Write 45m.`},
	{attributes.HTTPSURL(), "http://a.example/canary", `x must be an absolute https URL, like https://example.com/hook, not "http://a.example".`},
	{attributes.AbsoluteURL(), "a.example", `x must be an absolute URL, like https://example.com.`},
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
			t.Errorf("the refusal of %q: got %q, want %q", row.value, got, row.want)
		}
	}
}
