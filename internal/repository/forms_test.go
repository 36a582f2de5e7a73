package repository

import (
	"slices"
	"strings"
	"testing"
)

// Some files are read only by GitHub, an editor or pre-commit, so no other test would
// notice a broken one. Each file is parsed, and checked against the requirements of its
// reader.
func TestYAMLFilesParse(t *testing.T) {
	for _, file := range filesOf(t) {
		if strings.HasSuffix(file, ".yml") || strings.HasSuffix(file, ".yaml") {
			var anything any
			read(t, file, &anything)
		}
	}
}

// TestIssueFormsAreForms checks the issue forms against GitHub's rules: a field has a valid
// type, a unique id, and a label.
func TestIssueFormsAreForms(t *testing.T) {
	count := 0
	for _, file := range filesOf(t) {
		if !strings.HasPrefix(file, ".github/ISSUE_TEMPLATE/") || strings.HasSuffix(file, "/config.yml") {
			continue
		}
		count++
		var form struct {
			Name, Description string
			Body              []struct {
				Type, ID   string
				Attributes struct {
					Label, Value string
					Options      []string
				}
			}
		}
		read(t, file, &form)
		if form.Name == "" || form.Description == "" || len(form.Body) == 0 {
			t.Errorf("%s wants a name, a description and a body", file)
		}
		var ids []string
		for _, field := range form.Body {
			label, wanted := field.Attributes.Label, []string{"input", "textarea", "dropdown"}
			if field.Type == "markdown" {
				label, wanted = field.Attributes.Value, []string{"markdown"}
			} else if field.ID == "" || slices.Contains(ids, field.ID) {
				t.Errorf("%s: the id %q of a field is empty or another's", file, field.ID)
			}
			ids = append(ids, field.ID)
			if !slices.Contains(wanted, field.Type) || label == "" {
				t.Errorf("%s: the field %s of type %q says nothing", file, field.ID, field.Type)
			}
			if (field.Type == "dropdown") != (len(field.Attributes.Options) > 0) {
				t.Errorf("%s: the field %s has %d options", file, field.ID, len(field.Attributes.Options))
			}
		}
	}
	if count == 0 {
		t.Error("issue forms: got none, want at least one")
	}
}
