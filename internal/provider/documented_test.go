package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exampleFiles contains the example of a type by kind, from which its page is generated.
var exampleFiles = map[string]string{
	"resource":           "resources/%s/resource.tf",
	"data source":        "data-sources/%s/data-source.tf",
	"ephemeral resource": "ephemeral-resources/%s/ephemeral-resource.tf",
	"list resource":      "list-resources/%s/list-resource.tfquery.hcl",
	"action":             "actions/%s/action.tf",
}

// TestEveryTypeHasAnExample asserts that each type has an example, and that the index
// names what its table of resources does not have.
func TestEveryTypeHasAnExample(t *testing.T) {
	index, err := os.ReadFile("../../templates/index.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range allSchemas(t) {
		if s.kind == "provider" {
			continue
		}
		if _, err := os.Stat(filepath.Join("../../examples", fmt.Sprintf(exampleFiles[s.kind], s.name))); err != nil {
			t.Errorf("%s has no example: %v", s, err)
		}
		if named := s.kind == "action" || s.kind == "ephemeral resource"; named && !strings.Contains(string(index), "`"+s.name+"`") {
			t.Errorf("templates/index.md.tmpl does not name the %s", s)
		}
	}
}
