package provider

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// row matches a row of the index's table of resources: a type and what it supports.
var row = regexp.MustCompile("(?m)^\\| `(hosting_\\w+)` \\|(.*)\\|$")

// TestIndexTable compares each cell of the index's table of types with the features that
// the type has.
func TestIndexTable(t *testing.T) {
	text, err := os.ReadFile("../../templates/index.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## What each type supports")
	told := map[string][]string{}
	for _, match := range row.FindAllStringSubmatch(section, -1) {
		for _, cell := range strings.Split(match[2], "|") {
			told[match[1]] = append(told[match[1]], strings.TrimSpace(cell))
		}
	}
	lists := listedTypes()
	p := &hostingProvider{}
	for _, make := range p.Resources(t.Context()) {
		r := make()
		name := typeNameOf(r)
		cells, ok := told[name]
		if delete(told, name); !ok || len(cells) != 6 {
			t.Errorf("the row of %s: got %q, want six cells", name, cells)
			continue
		}
		if _, answers := r.(resource.ResourceWithImportState); !answers {
			t.Errorf("%s leaves its import to Terraform's own words", name)
		}
		_, identifies := r.(resource.ResourceWithIdentity)
		_, protects := attributesOf(r)["deletion_protection"]
		_, waits := attributesOf(r)["timeouts"]
		for column, is := range map[int]struct {
			what string
			has  bool
		}{
			0: {"import", identifies}, 1: {"identity", identifies}, // a type without an identity refuses every import
			2: {"list", slices.Contains(lists, name)},
			3: {"timeouts", waits}, 4: {"resuming", protects},
		} {
			if (cells[column] != "") != is.has {
				t.Errorf("the table's cell of %s for %s: got %q, want one if it applies, which is %t", name, is.what, cells[column], is.has)
			}
		}
		if identifies {
			if id := strings.Join(identityOf(t, r), "/"); cells[0] != "`"+id+"`" {
				t.Errorf("the table's import of %s: got %s, want %s", name, cells[0], id)
			}
		}
		if strings.Contains(cells[5], "deletion_protection") != protects {
			t.Errorf("the table's notes on %s: got %q, want the protection if it applies, which is %t", name, cells[5], protects)
		}
	}
	for name := range told {
		t.Errorf("the table: got %s, want only types of the provider", name)
	}
}

func typeNameOf(r resource.Resource) string {
	var meta resource.MetadataResponse
	r.Metadata(context.Background(), resource.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
	return meta.TypeName
}

// attributesOf returns the names of a resource's attributes.
func attributesOf(r resource.Resource) map[string]bool {
	var schema resource.SchemaResponse
	r.Schema(context.Background(), resource.SchemaRequest{}, &schema)
	names := map[string]bool{}
	for name := range schema.Schema.Attributes {
		names[name] = true
	}
	return names
}

// identityOf returns the attributes of a resource's identity, in the order of an import
// id.
func identityOf(t *testing.T, r resource.Resource) []string {
	t.Helper()
	var schema resource.IdentitySchemaResponse
	r.(resource.ResourceWithIdentity).IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &schema)
	var names []string
	for _, name := range []string{"id", "instance_id", "database", "name"} {
		if _, ok := schema.IdentitySchema.Attributes[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) != len(schema.IdentitySchema.Attributes) {
		t.Errorf("the identity of %s: got more than %q, want all its attributes in the id", typeNameOf(r), names)
	}
	return names
}

// listedTypes returns the types that have a list resource.
func listedTypes() []string {
	var names []string
	for _, make := range (&hostingProvider{}).ListResources(context.Background()) {
		var meta resource.MetadataResponse
		make().Metadata(context.Background(), resource.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
		names = append(names, meta.TypeName)
	}
	return names
}
