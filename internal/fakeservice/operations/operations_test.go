package operations_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// The effect in the table fits the method: GET reads, and repeated PUT, PATCH and DELETE
// requests leave the same state.
func TestEffectFitsTheMethod(t *testing.T) {
	t.Parallel()
	for _, o := range operations.All {
		for _, address := range o.REST {
			method, _, _ := strings.Cut(address, " ")
			if got, want := o.Effect.Reads, method == http.MethodGet; got != want {
				t.Errorf("%s: got Reads %t, want %t", address, got, want)
			}
			again := []string{http.MethodPut, http.MethodPatch, http.MethodDelete}
			if slices.Contains(again, method) && !o.Effect.Idempotent {
				t.Errorf("%s: got Idempotent false, want true", address)
			}
		}
	}
}

// Each name, address and tool belongs to one row.
func TestRowsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, o := range operations.All {
		for _, name := range slices.Concat([]string{o.Name, o.Tool.Name}, o.REST) {
			if name != "" && seen[name] {
				t.Errorf("the table has %q twice", name)
			}
			seen[name] = true
		}
	}
}
