package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestEveryAttributeIsDescribed checks that each attribute has a description, that each
// optional argument states its default, and that each argument of a resource says what a
// change does.
func TestEveryAttributeIsDescribed(t *testing.T) {
	for _, s := range allSchemas(t) {
		s.visit(t, func(path []string, a anyAttribute) {
			if slices.Contains(path, "timeouts") {
				return // the library describes them
			}
			text, address := a.GetMarkdownDescription(), fmt.Sprintf("%s %s.%s", s.kind, s.name, strings.Join(path, "."))
			hasAny := func(words ...string) bool {
				return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(strings.ToLower(text), word) })
			}
			switch {
			case text == "":
				t.Errorf("%s has no MarkdownDescription", address)
			case a.IsOptional() && !strings.Contains(path[len(path)-1], "_wo") && !hasAny("default", "if unset", "set this or", "environment variable"):
				t.Errorf("the MarkdownDescription of %s: got %s, want its default in it", address, text)
			case s.kind == "resource" && (a.IsOptional() || a.IsRequired()) && !hasAny("change", "state counts", "destroy"):
				t.Errorf("the MarkdownDescription of %s: got %s, want what a change does in it", address, text)
			}
		})
	}
}
