package base

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"
)

func TestWithoutUnknowns(t *testing.T) {
	engine := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number}}
	engines := tftypes.Map{ElementType: engine}
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "engines": engines}}
	value := func(id, engines any) tftypes.Value {
		return tftypes.NewValue(of, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.String, id), "engines": tftypes.NewValue(of.AttributeTypes["engines"], engines),
		})
	}
	postgres := func(memory any) map[string]tftypes.Value {
		return map[string]tftypes.Value{"postgres": tftypes.NewValue(engine, map[string]tftypes.Value{"memory_mb": tftypes.NewValue(tftypes.Number, memory)})}
	}
	for name, row := range map[string]struct {
		in, want tftypes.Value
		replaced []string
	}{
		"all known":       {value("i-1", postgres(512)), value("i-1", postgres(512)), nil},
		"an id":           {value(tftypes.UnknownValue, postgres(512)), value(nil, postgres(512)), []string{"id"}},
		"a whole map":     {value("i-1", tftypes.UnknownValue), value("i-1", nil), []string{"engines"}},
		"within a map":    {value("i-1", postgres(tftypes.UnknownValue)), value("i-1", postgres(nil)), []string{"engines.postgres.memory_mb"}},
		"the whole of it": {tftypes.NewValue(of, tftypes.UnknownValue), tftypes.NewValue(of, nil), []string{""}},
	} {
		if got, replaced := withoutUnknowns(row.in); !got.Equal(row.want) || !slices.Equal(replaced, row.replaced) {
			t.Errorf("%s: got %s and %q, want %s and %q", name, got, replaced, row.want, row.replaced)
		}
	}
}

// stateType has one attribute of each kind in the provider's schemas.
var stateType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"name":    tftypes.String,
	"count":   tftypes.Number,
	"tags":    tftypes.Set{ElementType: tftypes.String},
	"env":     tftypes.Map{ElementType: tftypes.String},
	"engines": tftypes.Map{ElementType: tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number, "port": tftypes.Number}}},
}}

// drawPart draws a value of a type. Any part of it may be null, or unknown if unknown is
// true.
func drawPart(t *rapid.T, of tftypes.Type, unknown bool, label string) tftypes.Value {
	switch pick := rapid.IntRange(0, 5).Draw(t, label); {
	case pick == 0:
		return tftypes.NewValue(of, nil)
	case pick == 1 && unknown:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	}
	switch of := of.(type) {
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for _, name := range slices.Sorted(maps.Keys(of.AttributeTypes)) {
			values[name] = drawPart(t, of.AttributeTypes[name], unknown, label+"."+name)
		}
		return tftypes.NewValue(of, values)
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for _, name := range []string{"a", "b", "c"} {
			if rapid.Bool().Draw(t, label+" has "+name) {
				values[name] = drawPart(t, of.ElementType, unknown, label+"."+name)
			}
		}
		return tftypes.NewValue(of, values)
	case tftypes.Set: // its elements are known after an apply
		var values []tftypes.Value
		for n := range rapid.IntRange(0, 2).Draw(t, label+" elements") {
			values = append(values, tftypes.NewValue(of.ElementType, fmt.Sprint(n)))
		}
		return tftypes.NewValue(of, values)
	}
	if of.Is(tftypes.Number) {
		return tftypes.NewValue(of, rapid.IntRange(1, 3).Draw(t, label))
	}
	return tftypes.NewValue(of, rapid.SampledFrom([]string{"x", "y"}).Draw(t, label))
}

// departure returns the place where a result differs from the plan, as Terraform's error
// "Provider produced inconsistent result after apply" does. It returns "" if there is
// none.
func departure(planned, result tftypes.Value, at string) string {
	switch {
	case !planned.IsKnown():
		return ""
	case planned.IsNull() != result.IsNull():
		return at + " is null in one of them"
	case planned.IsFullyKnown() && !planned.Equal(result):
		return at + " is another"
	case planned.IsNull() || planned.IsFullyKnown():
		return ""
	}
	var promise, kept map[string]tftypes.Value
	if planned.As(&promise) != nil || result.As(&kept) != nil {
		return ""
	}
	if !slices.Equal(slices.Sorted(maps.Keys(promise)), slices.Sorted(maps.Keys(kept))) {
		return at + " has other keys"
	}
	for name, value := range promise {
		if wrong := departure(value, kept[name], at+"."+name); wrong != "" {
			return wrong
		}
	}
	return ""
}

// For any plan, and any record after the change, the state keeps the planned values.
// Nothing in it is unknown, because Terraform would taint the running object.
func TestResultKeepsThePlanAndIsKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planned := drawPart(t, stateType, true, "planned")
		if !planned.IsKnown() || planned.IsNull() {
			return // a plan of a resource is an object
		}
		read := drawPart(t, stateType, true, "read")
		if read.IsNull() {
			return // a model is never null
		}
		result, _ := withoutUnknowns(promised(planned, read))
		if !result.IsFullyKnown() {
			t.Fatalf("the result: got %s, want no unknown values", result)
		}
		if wrong := departure(planned, result, "result"); wrong != "" {
			t.Fatalf("%s: planned %s, read %s: got the result %s, want the known values as planned", wrong, planned, read, result)
		}
	})
}

// Only an unknown id is an error. It says which object was created.
func TestUnknownIDIsReported(t *testing.T) {
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "name": tftypes.String, "status": tftypes.String}}
	for name, row := range map[string]struct {
		id, status any
		want       string // "" if there is no error
	}{
		"all known":         {"i-1", "running", ""},
		"an unknown status": {"i-1", tftypes.UnknownValue, ""},
		"an unknown id":     {tftypes.UnknownValue, "running", `The service returned no id for the object with name = "web"`},
	} {
		state := tfsdk.State{Raw: tftypes.NewValue(of, map[string]tftypes.Value{
			"id": tftypes.NewValue(tftypes.String, row.id), "name": tftypes.NewValue(tftypes.String, "web"), "status": tftypes.NewValue(tftypes.String, row.status),
		})}
		var diags diag.Diagnostics
		(&Resource{}).keepKnown(&state, &diags)
		if !state.Raw.IsFullyKnown() || diags.HasError() != (row.want != "") || diags.HasError() && !strings.Contains(diags[0].Detail(), row.want) {
			t.Errorf("%s: got the state %s and %v, want the error %q", name, state.Raw, diags, row.want)
		}
	}
}
