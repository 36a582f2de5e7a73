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
			t.Errorf("%d: %q, %q, want %q", row.n, got, gotFloat, row.want)
		}
	}
}
