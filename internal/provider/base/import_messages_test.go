package base

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

func TestImportMessages(t *testing.T) {
	for name, row := range map[string]struct {
		report func(*diag.Diagnostics)
		want   string
	}{
		"an import ID of another form": {func(diags *diag.Diagnostics) { ImportByInstance("id").split("i-4f2a/web", diags) },
			`Invalid import ID: The import ID is the instance's id, such as i-4f2a, not "i-4f2a/web".`},
		"a name as an import ID": {func(diags *diag.Diagnostics) { addNameForID(diags, "id", "shop", []string{"i-4f2a"}) },
			"Unknown instance: shop is an instance's name; its id is i-4f2a."},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			row.report(&diags)
			providertest.CheckMessage(t, diags, row.want)
		})
	}
}
