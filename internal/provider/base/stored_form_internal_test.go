package base

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestStoredFormsOf(t *testing.T) {
	t.Parallel()
	tags := tftypes.Set{ElementType: tftypes.String}
	engine := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number}}
	engines := tftypes.Map{ElementType: engine}
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "tags": tags, "engines": engines}}
	object := func(values map[string]tftypes.Value) tftypes.Value {
		all := map[string]tftypes.Value{}
		for name, of := range of.AttributeTypes {
			all[name] = tftypes.NewValue(of, nil)
			if value, ok := values[name]; ok {
				all[name] = value
			}
		}
		return tftypes.NewValue(of, all)
	}
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	set := func(s string) map[string]tftypes.Value {
		return map[string]tftypes.Value{"tags": tftypes.NewValue(tags, []tftypes.Value{text(s)})}
	}
	budgets := func(all map[string]any) map[string]tftypes.Value {
		values := map[string]tftypes.Value{}
		for name, budget := range all {
			values[name] = tftypes.NewValue(engine, map[string]tftypes.Value{"memory_mb": tftypes.NewValue(tftypes.Number, budget)})
		}
		return map[string]tftypes.Value{"engines": tftypes.NewValue(engines, values)}
	}
	for name, row := range map[string]struct {
		config, prior, read map[string]tftypes.Value
		want, unchanged     string
	}{
		"as requested":                     {config: set("prod"), read: set("prod")},
		"another form":                     {config: set("Prod"), read: set("prod"), want: `tags: requested ["Prod"], kept ["prod"]`},
		"another form of a change":         {config: set("Prod"), prior: set("dev"), read: set("prod"), want: `tags: requested ["Prod"], kept ["prod"]`},
		"the old value":                    {config: set("Prod"), prior: set("prod"), read: set("prod"), unchanged: `tags: requested ["Prod"], kept ["prod"]`},
		"somebody else's change":           {config: set("Prod"), prior: set("Prod"), read: set("test")},
		"a value that is new":              {config: set("Prod"), prior: map[string]tftypes.Value{}, read: set("prod"), want: `tags: requested ["Prod"], kept ["prod"]`},
		"not configured":                   {read: set("prod")},
		"not read":                         {config: set("Prod")},
		"a budget":                         {config: budgets(map[string]any{"postgres": 500}), read: budgets(map[string]any{"postgres": 512, "redis": 64}), want: "engines: requested { postgres = { memory_mb = 500 } }, kept { postgres = { memory_mb = 512 } }"},
		"a budget that is not configured":  {config: budgets(map[string]any{"postgres": nil}), read: budgets(map[string]any{"postgres": 512})},
		"an engine that the record misses": {config: budgets(map[string]any{"postgres": 500, "redis": 64}), read: budgets(map[string]any{"redis": 64})},
	} {
		t.Run(name, func(t *testing.T) {
			prior := tftypes.Value{}
			if row.prior != nil {
				prior = object(row.prior)
			}
			got, unchanged := storedFormsOf(valuesIn(object(row.config)), prior, object(row.read))
			if diff := cmp.Diff(row.want, got.text()); diff != "" {
				t.Errorf("forms (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.unchanged, unchanged.text()); diff != "" {
				t.Errorf("unchanged (-want +got):\n%s", diff)
			}
		})
	}
}

// Values that may be secret are not compared, because a warning would show them. tags_all is
// only in the plan.
func TestRequestedBy(t *testing.T) {
	t.Parallel()
	of := schema.Schema{Attributes: map[string]schema.Attribute{
		"url":    schema.StringAttribute{Required: true},
		"secret": schema.StringAttribute{Optional: true, Sensitive: true},
		"env":    schema.MapAttribute{Optional: true, ElementType: types.StringType},

		"tags_all": schema.SetAttribute{Computed: true, ElementType: types.StringType},
	}}
	object := of.Type().TerraformType(t.Context()).(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, of := range object.AttributeTypes {
		values[name] = tftypes.NewValue(of, nil)
	}
	raw := tftypes.NewValue(object, values)
	tags := tftypes.NewValue(object.AttributeTypes["tags_all"], []tftypes.Value{tftypes.NewValue(tftypes.String, "team")})
	planned := maps.Clone(values)
	planned["tags_all"] = tags
	requested := requestedBy(t.Context(), tfsdk.Config{Schema: of, Raw: raw}, tfsdk.Plan{Schema: of, Raw: tftypes.NewValue(object, planned)})
	if got, want := slices.Sorted(maps.Keys(requested)), []string{"tags_all", "url"}; !slices.Equal(got, want) {
		t.Errorf("got the attributes %v, want %v", got, want)
	}
	if !requested["tags_all"].Equal(tags) {
		t.Errorf("got tags_all %s, want %s", requested["tags_all"], tags)
	}
}
