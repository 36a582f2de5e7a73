package attributes

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// Known words of the service's records. The service may use others, so a filter by an
// unknown word is only a warning.
var (
	InstanceStatuses     = []string{client.StatusCreating, client.StatusRunning, client.StatusDeleting, client.StatusFailed}
	BuildStatuses        = []string{"queued", "running", "successful", "failed"}
	BackupKinds          = []string{"daily", "undo"}
	SubscriptionStatuses = []string{"pending", "active", "cancelled"}
)

// Matches reports whether a value passes an optional filter.
func Matches(filter types.String, value string) bool {
	return filter.IsNull() || filter.ValueString() == value
}

// CanMatch reports whether a filter by a word can match anything: the word is known, or a
// record has it.
func CanMatch(filter types.String, known, found []string) bool {
	return filter.IsNull() || filter.IsUnknown() || slices.Contains(known, filter.ValueString()) || slices.Contains(found, filter.ValueString())
}

// WarnUnmatched warns of a filter by a word that no record can have, which may be
// misspelled. Otherwise nothing would explain the empty list.
func WarnUnmatched(diags *diag.Diagnostics, attribute, what string, filter types.String, known, found []string) {
	if !CanMatch(filter, known, found) {
		diags.AddAttributeWarning(path.Root(attribute), "The filter matches nothing", diagnostics.NoSuch(what, filter.ValueString(), known)+" The result is empty.")
	}
}
