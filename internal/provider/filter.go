package provider

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// Known words of the service's records. The service may use others, so a filter by an
// unknown word is only a warning.
var (
	instanceStatuses     = []string{client.StatusCreating, client.StatusRunning, client.StatusDeleting, client.StatusFailed}
	buildStatuses        = []string{"queued", "running", "successful", "failed"}
	backupKinds          = []string{"daily", "undo"}
	subscriptionStatuses = []string{"pending", "active", "cancelled"}
)

// matches reports whether a value passes an optional filter.
func matches(filter types.String, value string) bool {
	return filter.IsNull() || filter.ValueString() == value
}

// canMatch reports whether a filter by a word can match anything: the word is known, or a
// record has it.
func canMatch(filter types.String, known, found []string) bool {
	return filter.IsNull() || filter.IsUnknown() || slices.Contains(known, filter.ValueString()) || slices.Contains(found, filter.ValueString())
}

// warnUnmatched warns of a filter by a word that no record can have, which may be
// misspelled. Otherwise nothing would explain the empty list.
func warnUnmatched(diags *diag.Diagnostics, attribute, what string, filter types.String, known, found []string) {
	if !canMatch(filter, known, found) {
		diags.AddAttributeWarning(path.Root(attribute), "The filter matches nothing", noSuch(what, filter.ValueString(), known)+" The result is empty.")
	}
}
