package apispec

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestDocumentIsOpenAPI31(t *testing.T) {
	t.Parallel()
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("the document's version of OpenAPI: got %q, want 3.1.0", doc.OpenAPI)
	}
}

func TestDocumentIsGivenAsACopy(t *testing.T) {
	t.Parallel()
	Document()[0] = 'X'
	if Document()[0] == 'X' {
		t.Error("the document after a change of what Document returned: got it changed, want a copy")
	}
}

// TestSettledHasAReason reads the source and not the parsed document, because the parser
// may drop a mark in a place that allows no extensions.
func TestSettledHasAReason(t *testing.T) {
	t.Parallel()
	const mark, reason = "x-settled: true", "x-settled-reason: "
	lines := strings.Split(string(source), "\n")
	marks := 0
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(trimmed)]
		switch {
		case trimmed == mark:
			marks++
			if next := lines[i+1]; len(next) <= len(indent+reason) || !strings.HasPrefix(next, indent+reason) {
				t.Errorf("line %d: got x-settled alone, want x-settled-reason in the line after it", i+1)
			}
		case strings.HasPrefix(trimmed, reason):
			if lines[i-1] != indent+mark {
				t.Errorf("line %d: got x-settled-reason alone, want x-settled in the line before it", i+1)
			}
		case !strings.HasPrefix(trimmed, "#") && strings.Contains(trimmed, "x-settled"):
			t.Errorf("line %d: got the mark %s, want it in the usual form", i+1, trimmed)
		}
	}
	if marks == 0 {
		t.Error("marks of settled operations and fields: got none, want some")
	}
}

// checked are the keywords that the filter's own validator enforces or that enforce
// nothing. A keyword outside this list would be ignored silently, because the parsed
// document is presented as 3.0 (see shared).
var checked = []string{
	"$ref", "type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "examples",
	"minimum", "maximum", "maxItems", "pattern", "format", "description",
	"x-settled", "x-settled-reason",
}

func TestSchemasUseCheckedKeywordsOnly(t *testing.T) {
	t.Parallel()
	doc, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for name, ref := range doc.Components.Schemas {
		text, err := json.Marshal(ref)
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		checkKeywords(t, name, schema)
	}
}

func checkKeywords(t *testing.T, place string, schema any) {
	t.Helper()
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for keyword, value := range object {
		if !slices.Contains(checked, keyword) {
			t.Errorf("%s in openapi.yaml: keyword %q is not in the list checked in internal/apispec/document_test.go. "+
				"If the validator enforces it, add it to the list, and add a body that violates it to TestBadRequestsFail or TestBadAnswersFail in exchange_test.go. "+
				"If not, use other keywords", place, keyword)
		}
		if keyword == "examples" {
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			if keyword != "properties" {
				checkKeywords(t, place+"."+keyword, value)
				continue
			}
			for name, property := range value {
				checkKeywords(t, place+"."+name, property)
			}
		case []any:
			for _, element := range value {
				checkKeywords(t, place+"."+keyword, element)
			}
		}
	}
}

// TestExamplesFit checks examples, which the parser does not check.
func TestExamplesFit(t *testing.T) {
	t.Parallel()
	examples := 0
	for name, schema := range newValidator(t).document.Components.Schemas {
		for property, of := range schema.Value.Properties {
			for _, example := range of.Value.Examples {
				examples++
				if err := of.Value.VisitJSON(example, uris); err != nil {
					t.Errorf("internal/apispec/openapi.yaml: example %v of %s.%s: %v", example, name, property, err)
				}
			}
		}
	}
	if examples == 0 {
		t.Error("examples of properties in internal/apispec/openapi.yaml: got none, want some")
	}
}
