package diagnostics

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// LeftOut warns of the elements that a list lacks because they cannot be read, and returns
// any other error. It is for results that show a list; a search in it must not use it.
func LeftOut(err error, diags *diag.Diagnostics) error {
	partial := (*client.PartialListError)(nil)
	if !errors.As(err, &partial) {
		return err
	}
	diags.AddWarning("Some elements of a list cannot be read", Sentence(partial.Error())+" The result is without them.\n\n"+unreadableText)
	return nil
}

// unreadableText is the advice for an answer in a form that the provider does not know.
const unreadableText = "Look for a newer version of the provider, or report this answer to its developers."
