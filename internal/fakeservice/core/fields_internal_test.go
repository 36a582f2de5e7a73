package core

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Records and requests have the fields of the document, and each field of a request is
// stored.
func TestFieldsAreTheDocuments(t *testing.T) {
	t.Parallel()
	tree := must.Get(apispec.Tree())(t)
	schemas := tree["components"].(map[string]any)["schemas"].(map[string]any)
	for _, row := range []struct {
		file, schema string
		of           any
		// stored is what a request changes.
		stored any
	}{
		{"instance_record.go", "Instance", InstanceRecord{}, nil},
		{"instances.go", "InstanceCreate", NewInstance{}, nil},
		{"instances.go", "InstanceUpdate", InstanceChange{}, Instance{}},
		{"engines.go", "AuthSettingsUpdate", AuthSettingsChange{}, Engine{}},
		{"apps.go", "App", AppRecord{}, nil},
		{"apps.go", "AppUpdate", AppChange{}, App{}},
		{"webhooks.go", "WebhookCreated", WebhookRecord{}, nil},
		{"webhooks.go", "WebhookUpdate", WebhookChange{}, Webhook{}},
		{"account.go", "Account", Account{}, nil},
	} {
		var fields []string
		of := reflect.TypeOf(row.of)
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, name)
			if row.stored == nil {
				continue
			}
			if _, there := reflect.TypeOf(row.stored).FieldByName(field.Name); !there {
				t.Errorf("%s in internal/fakeservice/core/%s has a field %s: add it to %T in hostingtest/stored/stored.go", of, row.file, field.Name, row.stored)
			}
		}
		slices.Sort(fields)
		want := slices.Sorted(maps.Keys(schemas[row.schema].(map[string]any)["properties"].(map[string]any)))
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("%s in internal/fakeservice/core/%s differs from %s in internal/apispec/openapi.yaml (-document +struct):\n%s", of, row.file, row.schema, diff)
		}
	}
}

// A list or map of a copy is its own, and not nil.
func TestCopiedIsNotShared(t *testing.T) {
	t.Parallel()
	tags := []string{"a"}
	in := Instance{Name: "shop"}
	apply(&in, &InstanceChange{Tags: &tags})
	tags[0] = "b"
	var record InstanceRecord
	show(&record, &in)
	in.Tags[0] = "c"
	if record.Name != "shop" || record.Tags[0] != "a" || record.Allowlist == nil || record.Host != nil {
		t.Errorf("record: got %+v, want the name shop, the tag a, an empty allowlist and no host", record)
	}
}
