package attributes

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestNumberRules(t *testing.T) {
	for _, row := range []struct {
		rule NumberRule
		n    int64
		want string
	}{
		{NumberRule{Least: 1, Most: 65535}, 65535, ""},
		{NumberRule{Least: 1, Most: 65535}, 65536, "x must be from 1 to 65535, not 65536."},
		{NumberRule{Least: 1}, 1, ""},
		{NumberRule{Least: 1}, 0, "x must be at least 1, not 0."},
		{NumberRule{Least: 0.1, Most: 1000}, 0, "x must be from 0.1 to 1000, not 0."},
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
			t.Errorf("%d: got %q and %q, want %q", row.n, got, gotFloat, row.want)
		}
	}
}

func TestRepository(t *testing.T) {
	const must = "x must have the form owner/repo"
	const meant, whole = `; did you mean "octo/app"?`, " The argument branch names the branch; a folder of a repository cannot be chosen."
	for value, want := range map[string]string{
		"octo/app":                             "",
		"octo/app.js":                          "",
		"Octo-1/app_2.x":                       "",
		"octo":                                 must + `, not "octo".`,
		"/app":                                 must + `, not "/app".`,
		"octo/":                                must + `, not "octo/".`,
		"":                                     must + `, not "".`,
		"octo/.git":                            must + `, not "octo/.git".`,
		"octo/app/":                            must + `, not "octo/app/"` + meant,
		"octo/app.git":                         must + `, not "octo/app.git"` + meant,
		"octo/app.GIT":                         must + `, not "octo/app.GIT"` + meant,
		"octo/app/apps/api":                    must + `, not "octo/app/apps/api"` + meant + whole,
		"octo/app/more and":                    must + `, not "octo/app/more and"` + meant + whole,
		"octo:app":                             must + ".",
		"octo/app@main":                        must + meant + whole,
		"octo/app#main":                        must + meant + whole,
		"octo/app:main":                        must + meant + whole,
		"octo/app.git@v1.2":                    must + meant + whole,
		"octo/app?ref=main":                    must + meant,
		"github.com/octo/app":                  must + `, not "github.com/octo/app"` + meant,
		"git@host:octo/app":                    must + meant,
		"host:octo/app.git":                    must + meant,
		"git@host:octo/app.git":                must + meant,
		"ssh://git@host:22/octo/app.git":       must + meant,
		"git+ssh://git@host/octo/app.git#main": must + meant + whole,
		"https://github.com/octo/app":          must + meant,
		"https://github.com/octo/app/":         must + meant,
		"https://github.com/octo/app.git":      must + meant,
		"https://www.github.com/octo/app?tab=readme":                 must + meant,
		"https://github.com/octo/app#readme":                         must + meant + whole,
		"https://github.com/octo/app/tree/main/apps/api":             must + meant + whole,
		"https://github.com/octo/app/blob/main/README.md?plain=1#L1": must + meant + whole,
		"https://gitlab.com/octo/app/-/tree/main":                    must + meant + whole,
		"https://canary@github.com/octo/app.git":                     must + meant,
		"https://user:canary@github.com/octo/app":                    must + meant,
		"https://github.com/octo/app?token=canary":                   must + meant,
		"https://github.com/octo":                                    must + ".",
		"https://github.com":                                         must + ".",
	} {
		var resp validator.StringResponse
		Repository().refuse(value, path.Root("x"), &resp.Diagnostics)
		got := ""
		if resp.Diagnostics.HasError() {
			got = resp.Diagnostics[0].Detail()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
		if strings.Contains(got, "canary") {
			t.Errorf("%s: got %s, want no secret", value, got)
		}
	}
}

// Only the plan, which mocks do not have, refuses a value that a mock may have made.
func TestMockedValuesAreRefusedByThePlanAlone(t *testing.T) {
	for _, row := range []struct {
		rule               TextRule
		value              string
		validated, planned bool
	}{
		{Repository(), "u8hur16y", false, true},
		{Repository(), "Qa7Z", false, true},
		{Repository(), "a-repository", true, false},
		{Repository(), "octo/app", false, false},
		{HTTPSURL(), "u8hur16y", false, true},
		{HTTPSURL(), "http://a.example", true, false},
		{AbsoluteURL(), "u8hur16y", false, true},
		{BeginsWith("/"), "healthz", false, true},
		{CommitHash(), "u8hur16y", false, true},
		{CommitHash(), "64fa5051", false, false},
		{NotEmpty(), "", true, false},
		{AtLeastLong(16), "u8hur16y", true, false},
	} {
		var validated validator.StringResponse
		row.rule.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("x"), ConfigValue: types.StringValue(row.value)}, &validated)
		var planned planmodifier.StringResponse
		row.rule.PlanModifyString(t.Context(), planmodifier.StringRequest{Path: path.Root("x"), ConfigValue: types.StringValue(row.value)}, &planned)
		if validated.Diagnostics.HasError() != row.validated || planned.Diagnostics.HasError() != row.planned {
			t.Errorf("%q %s: got refused by the validator %t and by the plan %t, want %t and %t", row.value, row.rule.must,
				validated.Diagnostics.HasError(), planned.Diagnostics.HasError(), row.validated, row.planned)
		}
	}
}

func TestURLRules(t *testing.T) {
	for value, want := range map[string][2]bool{ // as https, and as any
		"https://a.example/hook":          {true, true},
		"https://a.example":               {true, true},
		"http://a.example":                {false, true},
		"myapp://login":                   {false, true},
		"com.example.app:/oauth2redirect": {false, true},
		"exp://127.0.0.1:19000/--/":       {false, true},
		"localhost:3000":                  {false, false},
		"a.example/hook":                  {false, false},
		"https:a.example":                 {false, false},
		"https://":                        {false, false},
		"https://:443":                    {false, false},
		"http:///path":                    {false, false},
		"mailto:a@a.example":              {false, false},
		"://a":                            {false, false},
		"myapp":                           {false, false},
		"":                                {false, false},
	} {
		if got := [2]bool{HTTPSURL().holds(value), AbsoluteURL().holds(value)}; got != want {
			t.Errorf("%q: got valid %v, want %v", value, got, want)
		}
	}
	for value, want := range map[string]string{
		"http://user:canary@a.example/canary?canary#canary": `x must be an absolute https URL, like https://example.com/hook, not "http://a.example".`,
		"a.example/canary": "x must be an absolute https URL, like https://example.com/hook.",
		"canary":           "x must be an absolute https URL, like https://example.com/hook.",
	} {
		var diags diag.Diagnostics
		if HTTPSURL().refuse(value, path.Root("x"), &diags); diags[0].Detail() != want {
			t.Errorf("%q: got %s, want %s", value, diags[0].Detail(), want)
		}
	}
}

// No path of the API can carry some names. Every other name is the service's to judge.
func TestPathElement(t *testing.T) {
	rule := PathElement()
	for name, want := range map[string]bool{
		"web": true, "Web App": true, "é": true, "a.b": true, "...": true, "_x%": true,
		"": false, ".": false, "..": false, "a/b": false, " a": false, "a ": false, "a\n": false, "a\x00b": false, "a\tb": false,
	} {
		if got := rule.holds(name); got != want {
			t.Errorf("PathElement(%q): got %t, want %t", name, got, want)
		}
	}
}
