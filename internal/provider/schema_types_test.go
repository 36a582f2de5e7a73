package provider

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// timeName matches the names of attributes that are times.
var timeName = regexp.MustCompile(`^at$|_at$`)

// Attributes that are times have the type that compares them as times.
func TestSchemaTimes(t *testing.T) {
	for _, s := range allSchemas(t) {
		s.visit(t, func(path []string, a anyAttribute) {
			name := path[len(path)-1]
			if _, is := a.GetType().(timetypes.RFC3339Type); is != timeName.MatchString(name) {
				t.Errorf("%s: %s: got the type %s, want RFC3339 if and only if the name is that of a time", s, strings.Join(path, "."), a.GetType())
			}
		})
	}
}

// Attributes that are durations have the rule that explains a number without a unit.
func TestSchemaDurations(t *testing.T) {
	for _, s := range allSchemas(t) {
		s.visit(t, func(path []string, a anyAttribute) {
			text, isText := a.(interface{ StringValidators() []validator.String })
			got := isText && slices.ContainsFunc(text.StringValidators(), func(v validator.String) bool {
				_, is := v.(attributes.DurationRule)
				return is
			})
			if want := strings.HasSuffix(path[len(path)-1], "_timeout"); got != want {
				t.Errorf("%s: %s has a durationRule: got %t, want %t", s, strings.Join(path, "."), got, want)
			}
		})
	}
}

// order matches a description that says how a list is ordered.
var order = regexp.MustCompile(`, the (newest|cheapest) first\.|, sorted by `)

// A collection without an order is a set. A list says its order, so that its first
// element has a meaning.
func TestSchemaListsHaveAnOrder(t *testing.T) {
	lists := 0
	for _, s := range allSchemas(t) {
		s.visit(t, func(path []string, a anyAttribute) {
			if _, ok := a.GetType().(basetypes.ListType); !ok {
				return
			}
			lists++
			if !order.MatchString(a.GetMarkdownDescription()) {
				t.Errorf("%s: the description of the list %s: got %s, want its order in it", s, strings.Join(path, "."), a.GetMarkdownDescription())
			}
		})
	}
	if lists == 0 {
		t.Error("lists that were found: got none, want some: the search is broken")
	}
}
