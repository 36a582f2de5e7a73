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
			t.Errorf("%s: got the name %q, the description %q and %d fields, want each", file, form.Name, form.Description, len(form.Body))
		}
		var ids []string
		for _, field := range form.Body {
			label, wanted := field.Attributes.Label, []string{"input", "textarea", "dropdown"}
			if field.Type == "markdown" {
				label, wanted = field.Attributes.Value, []string{"markdown"}
			} else if field.ID == "" || slices.Contains(ids, field.ID) {
				t.Errorf("%s: got the field's id %q, want one that is not empty and not another's", file, field.ID)
			}
			ids = append(ids, field.ID)
			if !slices.Contains(wanted, field.Type) || label == "" {
				t.Errorf("%s: the field %s of type %q: got the label %q, want a text and a type of %q", file, field.ID, field.Type, label, wanted)
			}
			if (field.Type == "dropdown") != (len(field.Attributes.Options) > 0) {
				t.Errorf("%s: the options of the field %s of type %q: got %d, want some of a dropdown and otherwise none", file, field.ID, field.Type, len(field.Attributes.Options))
			}
		}
	}
	if count == 0 {
		t.Error("issue forms: got none, want at least one")
	}
}
