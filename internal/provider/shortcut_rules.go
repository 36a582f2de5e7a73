package provider

import (
	"context"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// attributeRules are what a schema says of one attribute.
type attributeRules struct {
	of schema.Attribute
	// plans tells that the default and the plan modifiers are of known kinds.
	plans bool
	// byDefault is the default's value; nil for none.
	byDefault attr.Value
	// valid tells whether a value, which is known, is surely valid. It is nil where a
	// validator is of a kind that is not known here.
	valid func(ctx context.Context, value attr.Value, given configuration) bool
}

// keeps tells whether planning leaves a value as it is in the state. A default comes
// back where the argument is removed; a write-only argument is up to the resource.
func (r attributeRules) keeps(state, config attr.Value) bool {
	return (r.byDefault == nil || !config.IsNull() || state.Equal(r.byDefault)) && (!r.of.IsWriteOnly() || config.IsNull())
}

func newAttributeRules(name string, of schema.Attribute) attributeRules {
	rules := attributeRules{of: of, plans: leavesUnchanged(of), valid: validityOf(path.Root(name), of)}
	switch set := fieldOf(of, "Default").(type) {
	case nil:
	case defaults.String:
		var resp defaults.StringResponse
		set.DefaultString(context.Background(), defaults.StringRequest{Path: path.Root(name)}, &resp)
		rules.byDefault = resp.PlanValue
	case defaults.Bool:
		var resp defaults.BoolResponse
		set.DefaultBool(context.Background(), defaults.BoolRequest{Path: path.Root(name)}, &resp)
		rules.byDefault = resp.PlanValue
	case defaults.Int64:
		var resp defaults.Int64Response
		set.DefaultInt64(context.Background(), defaults.Int64Request{Path: path.Root(name)}, &resp)
		rules.byDefault = resp.PlanValue
	}
	return rules
}

// fieldOf is a field of an attribute of whichever kind; nil where it has none.
func fieldOf(of schema.Attribute, name string) any {
	field := reflect.ValueOf(of).FieldByName(name)
	if !field.IsValid() || field.IsZero() {
		return nil
	}
	return field.Interface()
}

// kinds are the types of values.
func kinds(values ...any) []reflect.Type {
	var all []reflect.Type
	for _, value := range values {
		all = append(all, reflect.TypeOf(value))
	}
	return all
}

var (
	// fixedDefaults are always the same value.
	fixedDefaults = kinds(stringdefault.StaticString(""), booldefault.StaticBool(false), int64default.StaticInt64(0))

	// ofChangesAlone are plan modifiers that leave a known value alone, and replace
	// nothing for it, where it is planned as it is in the state.
	ofChangesAlone = kinds(
		stringplanmodifier.UseStateForUnknown(), stringplanmodifier.UseNonNullStateForUnknown(), int64planmodifier.UseNonNullStateForUnknown(),
		stringplanmodifier.RequiresReplace(), stringplanmodifier.RequiresReplaceIfConfigured(), replacesKnown(),
		canonicalCIDRs{}, repoCase{}, urlCase{},
	)

	// aboutValuesAlone are validators that look at nothing but the value.
	aboutValuesAlone = kinds(
		textRule{}, numberRule{}, oneOfValidator{}, webURL{}, cidrSet{}, rewordedRule{}, durationRule(),
		setvalidator.NoNullValues(), setvalidator.ValueStringsAre(), mapvalidator.NoNullValues(), mapvalidator.KeysAre(),
	)
)

// durationRule is the validator of an argument in timeouts.
func durationRule() validator.String {
	within, _ := fieldOf(timeouts.AttributesAll(context.Background()), "Attributes").(map[string]schema.Attribute)
	create, _ := within["create"].(schema.StringAttribute)
	return create.Validators[0]
}

// leavesUnchanged tells whether what a schema says of planning an attribute, and what
// is in it, is known to leave it as it is, but for a default of its own.
func leavesUnchanged(of schema.Attribute) bool {
	if set := fieldOf(of, "Default"); set != nil && !slices.Contains(fixedDefaults, reflect.TypeOf(set)) {
		return false
	}
	if modifiers := fieldOf(of, "PlanModifiers"); modifiers != nil {
		for _, modifier := range reflect.ValueOf(modifiers).Seq2() {
			if !slices.Contains(ofChangesAlone, modifier.Elem().Type()) {
				return false
			}
		}
	}
	within, ok := nestedIn(of)
	for _, attribute := range within {
		ok = ok && fieldOf(attribute, "Default") == nil && !attribute.IsWriteOnly() && leavesUnchanged(attribute)
	}
	return ok
}

// nestedIn are the attributes in one; nil for a plain one. It is false where they are
// in a form that is not known here, or have rules together.
func nestedIn(of schema.Attribute) (map[string]schema.Attribute, bool) {
	switch of := of.(type) {
	case schema.StringAttribute, schema.BoolAttribute, schema.Int64Attribute, schema.SetAttribute, schema.MapAttribute:
		return nil, true
	case schema.SingleNestedAttribute:
		return of.Attributes, true
	case schema.MapNestedAttribute:
		return of.NestedObject.Attributes, of.NestedObject.CustomType == nil && len(of.NestedObject.Validators) == 0 && len(of.NestedObject.PlanModifiers) == 0
	}
	return nil, false
}

// A configuration is what a block sets: values by the order of names.
type configuration struct {
	names     []string
	values    []attr.Value
	writeOnly bool // the CLI knows write-only arguments
}

// sets tells whether an argument is set.
func (c configuration) sets(name string) bool {
	at, found := slices.BinarySearch(c.names, name)
	return found && !c.values[at].IsNull()
}

// A validity tells whether a value, which is known, is surely valid.
type validity func(ctx context.Context, value attr.Value, given configuration) bool

// validityOf is that of the values of an attribute, nil where it is not known.
func validityOf(at path.Path, of schema.Attribute) func(context.Context, attr.Value, configuration) bool {
	validators, ok := validatorsOf(at, of)
	if !ok || of.GetDeprecationMessage() != "" {
		return nil
	}
	within, ok := nestedIn(of)
	if !ok {
		return nil
	}
	inner := map[string]validity{}
	for name, attribute := range within {
		if inner[name] = validityOf(at.AtName(name), attribute); inner[name] == nil {
			return nil
		}
	}
	return func(ctx context.Context, value attr.Value, given configuration) bool {
		switch set := !value.IsNull(); {
		case of.IsRequired() && !set, set && of.IsComputed() && !of.IsOptional(), set && of.IsWriteOnly() && !given.writeOnly:
			return false
		}
		for _, valid := range validators {
			if !valid(ctx, value, given) {
				return false
			}
		}
		return validWithin(ctx, value, given, inner)
	}
}

// validWithin tells whether what is nested in a value is surely valid.
func validWithin(ctx context.Context, value attr.Value, given configuration, inner map[string]validity) bool {
	switch value := value.(type) {
	case types.Map:
		for _, element := range value.Elements() {
			if object, nested := element.(types.Object); nested && !validWithin(ctx, object, given, inner) {
				return false
			}
		}
	case timeouts.Value:
		return validWithin(ctx, value.Object, given, inner)
	case types.Object:
		for name, attribute := range value.Attributes() {
			if !inner[name](ctx, attribute, given) {
				return false
			}
		}
	}
	return true
}

// validatorsOf are an attribute's validators; false where one is not known here.
func validatorsOf(at path.Path, of schema.Attribute) ([]validity, bool) {
	switch of := of.(type) {
	case schema.StringAttribute:
		return validitiesOf(of.Validators, func(ctx context.Context, rule validator.String, value types.String) bool {
			var resp validator.StringResponse
			rule.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: value}, &resp)
			return len(resp.Diagnostics) == 0
		})
	case schema.Int64Attribute:
		return validitiesOf(of.Validators, func(ctx context.Context, rule validator.Int64, value types.Int64) bool {
			var resp validator.Int64Response
			rule.ValidateInt64(ctx, validator.Int64Request{Path: at, ConfigValue: value}, &resp)
			return len(resp.Diagnostics) == 0
		})
	case schema.SetAttribute:
		return validitiesOf(of.Validators, func(ctx context.Context, rule validator.Set, value types.Set) bool {
			var resp validator.SetResponse
			rule.ValidateSet(ctx, validator.SetRequest{Path: at, ConfigValue: value}, &resp)
			return len(resp.Diagnostics) == 0
		})
	case schema.MapAttribute:
		return validitiesOf(of.Validators, mapValidity(at))
	case schema.MapNestedAttribute:
		return validitiesOf(of.Validators, mapValidity(at))
	}
	return nil, fieldOf(of, "Validators") == nil
}

func mapValidity(at path.Path) func(context.Context, validator.Map, types.Map) bool {
	return func(ctx context.Context, rule validator.Map, value types.Map) bool {
		var resp validator.MapResponse
		rule.ValidateMap(ctx, validator.MapRequest{Path: at, ConfigValue: value}, &resp)
		return len(resp.Diagnostics) == 0
	}
}

// validitiesOf are validators as functions of the values that they look at. Of one
// that looks at other arguments it is said beside it what is sure.
func validitiesOf[R any, V attr.Value](rules []R, holds func(context.Context, R, V) bool) ([]validity, bool) {
	var all []validity
	for _, rule := range rules {
		if reworded, is := any(rule).(rewordedRule); is && reworded.surely != nil {
			all = append(all, func(_ context.Context, _ attr.Value, given configuration) bool { return reworded.surely(given.sets) })
			continue
		}
		if !looksAtValueAlone(reflect.ValueOf(rule)) {
			return nil, false
		}
		all = append(all, func(ctx context.Context, value attr.Value, _ configuration) bool {
			of, ok := value.(V)
			return ok && holds(ctx, rule, of)
		})
	}
	return all, true
}

// looksAtValueAlone tells whether a validator, and each that it is made of, is of a
// kind that does.
func looksAtValueAlone(rule reflect.Value) bool {
	if !slices.Contains(aboutValuesAlone, rule.Type()) {
		return false
	}
	if rule.Kind() != reflect.Struct {
		return true
	}
	for _, field := range rule.Fields() {
		parts := []reflect.Value{field}
		if field.Kind() == reflect.Slice {
			parts = nil
			for i := range field.Len() {
				parts = append(parts, field.Index(i))
			}
		}
		for _, part := range parts {
			if part.Kind() == reflect.Interface && !looksAtValueAlone(part.Elem()) {
				return false
			}
		}
	}
	return true
}
