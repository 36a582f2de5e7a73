package attributes

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// WarnOfWord warns of a word that the service's documentation does not list. A service may
// have more words than it lists (SERVICE.md#tolerance), so the service decides.
func WarnOfWord(diags *diag.Diagnostics, at path.Path, what, word string, documented ...string) {
	if slices.Contains(documented, word) {
		return
	}
	diags.AddAttributeWarning(at, "The service may refuse the "+what, diagnostics.NotDocumented(what, word, documented)+" The service decides.")
}
