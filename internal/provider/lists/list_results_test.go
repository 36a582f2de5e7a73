package lists

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
)

// Terraform reads no result beyond its limit, and stops at the first error.
func TestListResults(t *testing.T) {
	warning, failure := diag.NewWarningDiagnostic("warning", ""), diag.NewErrorDiagnostic("error", "")
	for name, row := range map[string]struct {
		records []string
		limit   int64
		diags   diag.Diagnostics
		want    []string // a result's name and the summaries of its diagnostics
	}{
		"none":                     {want: nil},
		"all":                      {records: []string{"a", "b"}, limit: 2, want: []string{"a", "b"}},
		"no limit":                 {records: []string{"a", "b"}, want: []string{"a", "b"}},
		"cut off":                  {records: []string{"a", "b", "c"}, limit: 2, want: []string{"a: The list is not whole", "b"}},
		"a warning":                {records: []string{"a", "b"}, limit: 2, diags: diag.Diagnostics{warning}, want: []string{"a: warning", "b"}},
		"an error after some":      {records: []string{"a", "b"}, diags: diag.Diagnostics{failure, warning}, want: []string{"a: warning", "b", ": error"}},
		"a warning of nothing":     {diags: diag.Diagnostics{warning}, want: []string{": warning"}},
		"an error before anything": {diags: diag.Diagnostics{failure, warning}, want: []string{": error: warning"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for result := range Results(row.records, row.limit, row.diags, func(name string) list.ListResult { return list.ListResult{DisplayName: name} }) {
				text := result.DisplayName
				for _, d := range result.Diagnostics {
					text += ": " + d.Summary()
				}
				got = append(got, text)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("the results: got %q, want %q", got, row.want)
			}
		})
	}
}
