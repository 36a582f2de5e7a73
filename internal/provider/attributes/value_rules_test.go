package attributes

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
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
	const must = "x must have the form owner/repo, not "
	for value, want := range map[string]string{
		"octo/app":                        "",
		"octo":                            must + `"octo".`,
		"/app":                            must + `"/app".`,
		"octo/":                           must + `"octo/".`,
		"octo/app/more and":               must + `"octo/app/more and".`,
		"https://github.com/octo/app":     must + `"https://github.com/octo/app"; did you mean "octo/app"?`,
		"https://github.com/octo/app.git": must + `"https://github.com/octo/app.git"; did you mean "octo/app"?`,
		"git@github.com:octo/app":         must + `"git@github.com:octo/app"; did you mean "octo/app"?`,
		"octo:app":                        must + `"octo:app".`,
	} {
		var resp validator.StringResponse
		Repository().ValidateString(context.Background(), validator.StringRequest{Path: path.Root("x"), ConfigValue: types.StringValue(value)}, &resp)
		got := ""
		if resp.Diagnostics.HasError() {
			got = resp.Diagnostics[0].Detail()
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
