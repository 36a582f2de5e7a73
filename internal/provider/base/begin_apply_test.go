package base

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
)

func TestDropRepeatedWarnings(t *testing.T) {
	for name, row := range map[string]struct {
		applied, exists bool
		want            int
	}{
		"a plan, or an apply before its first change": {false, true, 2},
		"an apply after its first change":             {true, true, 1},
		"what an apply creates":                       {true, false, 2},
	} {
		b := Resource{Data{Planned: planning.New()}}
		if row.applied {
			b.BeginApply(context.Background(), "create")
		}
		var diags diag.Diagnostics
		diags.AddWarning("a warning", "")
		diags.AddError("an error", "")
		if b.DropRepeatedWarnings(row.exists, &diags); len(diags) != row.want || !diags.HasError() {
			t.Errorf("%s: got %v, want %d diagnostics with an error", name, diags, row.want)
		}
	}
	var unconfigured Resource
	unconfigured.BeginApply(context.Background(), "create")
	unconfigured.DropRepeatedWarnings(true, &diag.Diagnostics{})
}
