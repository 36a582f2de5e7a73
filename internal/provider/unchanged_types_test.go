package provider

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// unchangedServer may have to read or return a new field of a request or response. Look
// at what the framework does with the field, then add it here.
func TestFieldsOfRequestsAndResponses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		of     reflect.Type
		fields string
	}{
		{reflect.TypeFor[tfprotov6.ReadResourceRequest](), "TypeName CurrentState Private ProviderMeta ClientCapabilities CurrentIdentity"},
		{reflect.TypeFor[tfprotov6.ReadResourceClientCapabilities](), "DeferralAllowed"},
		{reflect.TypeFor[tfprotov6.ReadResourceResponse](), "NewState Diagnostics Private Deferred NewIdentity"},
		{reflect.TypeFor[tfprotov6.PlanResourceChangeRequest](), "TypeName PriorState ProposedNewState Config PriorPrivate ProviderMeta ClientCapabilities PriorIdentity"},
		{reflect.TypeFor[tfprotov6.PlanResourceChangeClientCapabilities](), "DeferralAllowed"},
		{reflect.TypeFor[tfprotov6.PlanResourceChangeResponse](), "PlannedState RequiresReplace PlannedPrivate Diagnostics UnsafeToUseLegacyTypeSystem Deferred PlannedIdentity"},
		{reflect.TypeFor[resource.ReadRequest](), "State Private Identity ProviderMeta ClientCapabilities"},
		{reflect.TypeFor[resource.ReadResponse](), "State Identity Private Diagnostics Deferred"},
		{reflect.TypeFor[resource.ModifyPlanRequest](), "Config State Plan ProviderMeta Private ClientCapabilities Identity"},
		{reflect.TypeFor[resource.ModifyPlanResponse](), "Plan RequiresReplace Private Diagnostics Deferred Identity"},
		{reflect.TypeFor[tfsdk.State](), "Raw Schema"},
	} {
		var got []string
		for field := range row.of.Fields() {
			got = append(got, field.Name)
		}
		slices.Sort(got)
		want := strings.Fields(row.fields)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the fields %v, want %v", row.of, got, want)
		}
	}
}

// A computedResource passes on only the methods of managedResource and ValidateConfig.
func TestResourcesHaveNoOtherMethods(t *testing.T) {
	t.Parallel()
	for _, newResource := range resourceConstructors() {
		r := newResource()
		_, configValidators := r.(resource.ResourceWithConfigValidators)
		_, moveState := r.(resource.ResourceWithMoveState)
		_, upgradeState := r.(resource.ResourceWithUpgradeState)
		_, upgradeIdentity := r.(resource.ResourceWithUpgradeIdentity)
		if configValidators || moveState || upgradeState || upgradeIdentity {
			t.Errorf("%T: got a method that computedResource (unchanged.go) does not pass on, want none", r)
		}
	}
}

// defaultOf reads the defaults of strings, booleans and integers at the top of a schema.
func TestDefaultsAreKnown(t *testing.T) {
	t.Parallel()
	for kind, of := range resourceTypes() {
		eachAttribute(of.schema.Attributes, path.Empty(), func(at path.Path, attribute schema.Attribute) {
			field := reflect.ValueOf(attribute).FieldByName("Default")
			if !field.IsValid() || field.IsZero() {
				return
			}
			if _, known := of.defaults[at.String()]; !known {
				t.Errorf("%s: the default of %s is not read by defaultOf (unchanged_types.go)", kind, at)
			}
		})
	}
}

// unchangedServer leaves plan modifiers out if the plan is the state. Each modifier must
// therefore keep a value that is planned as it is in the state, and must replace nothing.
func TestPlanModifiersKeepWhatDoesNotChange(t *testing.T) {
	t.Parallel()
	ctx, modifiers := t.Context(), 0
	for kind, of := range resourceTypes() {
		raw := tftypes.NewValue(of.objectType, emptyObject(of.objectType.(tftypes.Object)))
		state, plan, config := tfsdk.State{Schema: of.schema, Raw: raw}, tfsdk.Plan{Schema: of.schema, Raw: raw}, tfsdk.Config{Schema: of.schema, Raw: raw}
		check := func(at path.Path, got, want attr.Value, replaces bool) {
			modifiers++
			if !got.Equal(want) || replaces {
				t.Errorf("%s.%s: got the planned value %s, replaced: %t; want the state's %s, kept", kind, at, got, replaces, want)
			}
		}
		eachAttribute(of.schema.Attributes, path.Empty(), func(at path.Path, attribute schema.Attribute) {
			switch attribute := attribute.(type) {
			case schema.StringAttribute:
				for _, modifier := range attribute.PlanModifiers {
					for _, value := range []types.String{types.StringValue("Acme/Shop"), types.StringValue(""), types.StringNull()} {
						for _, configured := range []types.String{value, types.StringNull()} {
							resp := planmodifier.StringResponse{PlanValue: value}
							modifier.PlanModifyString(ctx, planmodifier.StringRequest{Path: at, State: state, Plan: plan, Config: config, StateValue: value, PlanValue: value, ConfigValue: configured}, &resp)
							check(at, resp.PlanValue, value, resp.RequiresReplace)
						}
					}
				}
			case schema.Int64Attribute:
				for _, modifier := range attribute.PlanModifiers {
					for _, value := range []types.Int64{types.Int64Value(512), types.Int64Null()} {
						resp := planmodifier.Int64Response{PlanValue: value}
						modifier.PlanModifyInt64(ctx, planmodifier.Int64Request{Path: at, State: state, Plan: plan, Config: config, StateValue: value, PlanValue: value, ConfigValue: value}, &resp)
						check(at, resp.PlanValue, value, resp.RequiresReplace)
					}
				}
			case schema.SetAttribute:
				for _, modifier := range attribute.PlanModifiers {
					value := types.SetValueMust(types.StringType, []attr.Value{types.StringValue("203.0.113.7"), types.StringValue("10.0.0.0/8")})
					resp := planmodifier.SetResponse{PlanValue: value}
					modifier.PlanModifySet(ctx, planmodifier.SetRequest{Path: at, State: state, Plan: plan, Config: config, StateValue: value, PlanValue: value, ConfigValue: value}, &resp)
					check(at, resp.PlanValue, value, resp.RequiresReplace)
				}
			case schema.MapAttribute:
				for _, modifier := range attribute.PlanModifiers {
					value := types.MapValueMust(types.StringType, map[string]attr.Value{"A": types.StringValue("1\n")})
					resp := planmodifier.MapResponse{PlanValue: value}
					modifier.PlanModifyMap(ctx, planmodifier.MapRequest{Path: at, State: state, Plan: plan, Config: config, StateValue: value, PlanValue: value, ConfigValue: value}, &resp)
					check(at, resp.PlanValue, value, resp.RequiresReplace)
				}
			default:
				if field := reflect.ValueOf(attribute).FieldByName("PlanModifiers"); !field.IsZero() {
					t.Errorf("%s.%s: this test does not know plan modifiers of %T", kind, at, attribute)
				}
			}
		})
	}
	if modifiers == 0 {
		t.Error("plan modifiers that were checked: got none, want some")
	}
}

// emptyObject returns an object with null attributes.
func emptyObject(of tftypes.Object) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	for name, attribute := range of.AttributeTypes {
		values[name] = tftypes.NewValue(attribute, nil)
	}
	return values
}

// eachAttribute calls f with each attribute of a schema, including nested ones.
func eachAttribute(attributes map[string]schema.Attribute, at path.Path, f func(path.Path, schema.Attribute)) {
	for name, attribute := range attributes {
		f(at.AtName(name), attribute)
		switch nested := attribute.(type) {
		case schema.SingleNestedAttribute:
			eachAttribute(nested.Attributes, at.AtName(name), f)
		case schema.MapNestedAttribute:
			eachAttribute(nested.NestedObject.Attributes, at.AtName(name).AtMapKey("key"), f)
		case schema.NestedAttribute:
			panic(fmt.Sprintf("eachAttribute does not know %T", nested))
		}
	}
}

// The framework answers requests that no CLI sends: values in JSON, or no values.
func TestRequestsOfOtherForms(t *testing.T) {
	t.Parallel()
	r := usual("hosting_instance", "i-1")
	inJSON := &tfprotov6.DynamicValue{JSON: r.kept}
	left := map[string]int{}
	s := newSide(usualRecords("i-1"), &left)
	s.configure(t)
	for name, req := range map[string]*tfprotov6.PlanResourceChangeRequest{
		"JSON":      {TypeName: r.s.kind, PriorState: inJSON, ProposedNewState: inJSON, Config: inJSON},
		"no config": {TypeName: r.s.kind, PriorState: r.state, ProposedNewState: r.state},
		"no state":  {TypeName: r.s.kind, ProposedNewState: r.state, Config: r.config},
	} {
		before := left["plan "+r.s.kind]
		if _, err := s.server.PlanResourceChange(t.Context(), req); err != nil || left["plan "+r.s.kind] != before+1 {
			t.Errorf("a plan with %s: got %d calls of the framework and the error %v, want one and none", name, left["plan "+r.s.kind]-before, err)
		}
	}
	if _, err := s.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: r.s.kind}); err != nil || left["read "+r.s.kind] != 1 {
		t.Errorf("a read without a state: got %d calls of the framework and the error %v, want one and none", left["read "+r.s.kind], err)
	}
}

// The framework refuses private state with its own keys, or with values that are not text in
// JSON.
func TestPrivateStateOfOtherForms(t *testing.T) {
	t.Parallel()
	r := usual("hosting_instance", "i-1")
	for name, row := range map[string]struct {
		private string
		want    bool
	}{
		"none":                   {"", true},
		"a note":                 {`{"note":"e30="}`, true},   // {}
		"the framework's key":    {`{".note":"e30="}`, false}, // {}
		"a note that is no JSON": {`{"note":"ew=="}`, false},  // {
		"a note that is no text": {`{"note":"Iv8i"}`, false},  // "\xff"
		"no object":              {`[]`, false},
	} {
		if _, ok := resourceTypes()["hosting_instance"].decode(r.state, nil, []byte(row.private)); ok != row.want {
			t.Errorf("%s: got %t, want %t", name, ok, row.want)
		}
	}
}

// The calls of a plan that changes nothing do not reach the framework. Each would cost
// several times as much.
func TestUnchangedCallsDoNotReachTheFramework(t *testing.T) {
	t.Parallel()
	r, left := usual("hosting_instance", "i-1"), map[string]int{}
	s := newSide(usualRecords("i-1"), &left)
	s.configure(t)
	for _, call := range unchangedCalls {
		if err := call.make(t.Context(), s.server, r); err != nil {
			t.Errorf("%s: %v", call.name, err)
		}
	}
	if len(left) > 0 {
		t.Errorf("got calls of the framework %v, want none", left)
	}
}
