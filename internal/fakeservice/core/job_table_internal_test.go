package core

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The document lists the operations of jobs, and each of them has a duration.
func TestEveryJobOfTheDocumentHasADuration(t *testing.T) {
	t.Parallel()
	var node any = must.Get(apispec.Tree())(t)
	for _, key := range []string{"components", "schemas", "Job", "properties", "operation", "enum"} {
		node = node.(map[string]any)[key]
	}
	var documented []string
	for _, name := range node.([]any) {
		documented = append(documented, name.(string))
	}
	slices.Sort(documented)
	if diff := cmp.Diff(documented, slices.Sorted(maps.Keys(defaultDurations().Jobs))); diff != "" {
		t.Errorf("the operations of jobTable differ from the enum of Job.operation in internal/apispec/openapi.yaml (-want +got):\n%s", diff)
	}
}
