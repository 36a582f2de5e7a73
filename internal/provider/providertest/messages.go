package providertest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// CheckMessage reports an error unless there is one diagnostic whose summary and detail,
// with a colon between, begin with want.
func CheckMessage(t *testing.T, diags diag.Diagnostics, want string) {
	t.Helper()
	if len(diags) != 1 {
		t.Errorf("got %d diagnostics, want 1: %v", len(diags), diags)
		return
	}
	if got := diags[0].Summary() + ": " + diags[0].Detail(); !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
