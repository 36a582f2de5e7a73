package base

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

func FuzzImportID(f *testing.F) {
	for _, seed := range []string{"i-1/name", "i-1", "/", "a/b/c", "i-1/", "//", "i-1/é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		var diags diag.Diagnostics
		parts := ImportID{Names: []string{"instance_id", "name"}}.split(id, &diags)
		switch {
		case diags.HasError() && parts != nil:
			t.Errorf("split(%q): got an error and %v, want only the error", id, parts)
		case !diags.HasError() && strings.Join(parts, "/") != id:
			t.Errorf("split(%q): got %v, want the parts of the id", id, parts)
		case !diags.HasError() && (len(parts) != 2 || parts[0] == "" || parts[1] == ""):
			t.Errorf("split(%q): got %v, want two parts", id, parts)
		}
	})
}
