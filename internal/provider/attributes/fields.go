package attributes

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The settings of an object are a struct of attributes in the provider, and a struct of Maybe
// fields in the client. The tag tfsdk of an attribute is the json tag of its counterpart.
// This file is all that pairs them.

// TakeRecord copies the settings that a record has into a model. An attribute that the record
// lacks keeps a known value, and an unknown one becomes null. model and record are pointers
// to structs.
func TakeRecord(model, record any) {
	recorded := fieldsOf(record, "json")
	for name, field := range fieldsOf(model, "tfsdk") {
		there, paired := recorded[name]
		if !paired {
			continue
		}
		set(field, there)
	}
}

// set sets an attribute to the value of a Maybe, if that is set.
func set(field, maybe reflect.Value) {
	value, isSet := maybe.FieldByName("Value"), maybe.FieldByName("Set").Bool()
	var attribute attr.Value
	switch before := field.Interface().(type) {
	case types.String:
		if attribute = StringOrNull(value.String()); attribute.IsNull() && before.Equal(types.StringValue("")) {
			attribute = before // a configuration may write "" or leave it out, and the service does not distinguish them
		}
	case types.Int64:
		attribute = types.Int64Null()
		if isSet {
			attribute = types.Int64Value(value.Int())
		}
	case types.Bool:
		attribute = types.BoolNull()
		if isSet {
			attribute = types.BoolValue(value.Bool())
		}
	case types.Set:
		attribute = types.SetNull(types.StringType)
		if isSet {
			attribute = SetOf(value.Interface().([]string), before)
		}
	default:
		panic(unpaired(field))
	}
	if isSet || valueOf(field).IsUnknown() {
		field.Set(reflect.ValueOf(attribute))
	}
}

// Differing returns the names of the settings that differ between two models, sorted. A value
// that is not known differs from a known one. a and b are pointers to the same type.
func Differing(a, b any) []string {
	var names []string
	others := fieldsOf(b, "tfsdk")
	for name, field := range fieldsOf(a, "tfsdk") {
		if !valueOf(field).Equal(valueOf(others[name])) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Changed returns the names of the settings that a plan changes, sorted. An attribute that
// the plan leaves null or unknown does not change, except that a set which is null has no
// elements. "" and null are equal.
func Changed(prior, planned any) []string {
	before, after := fieldsOf(prior, "tfsdk"), fieldsOf(planned, "tfsdk")
	return slices.DeleteFunc(Differing(prior, planned), func(name string) bool {
		was, is := valueOf(before[name]), valueOf(after[name])
		switch is := is.(type) {
		case types.Set:
			return is.IsUnknown() || !was.IsUnknown() && SameStrings(was.(types.Set), is)
		case types.String:
			return is.IsUnknown() || is.IsNull() || !was.IsUnknown() && is.ValueString() == was.(types.String).ValueString()
		}
		return is.IsUnknown() || is.IsNull()
	})
}

// Forget makes the named settings unknown. model is a pointer to a struct.
func Forget(model any, names []string) {
	for name, field := range fieldsOf(model, "tfsdk") {
		if !slices.Contains(names, name) {
			continue
		}
		switch valueOf(field).(type) {
		case types.String:
			field.Set(reflect.ValueOf(types.StringUnknown()))
		case types.Int64:
			field.Set(reflect.ValueOf(types.Int64Unknown()))
		case types.Bool:
			field.Set(reflect.ValueOf(types.BoolUnknown()))
		case types.Set:
			field.Set(reflect.ValueOf(types.SetUnknown(types.StringType)))
		default:
			panic(unpaired(field))
		}
	}
}

// ForgetNulls makes each setting unknown that is null, except for sets, which the service never
// fills. model is a pointer to a struct.
func ForgetNulls(model any) {
	var names []string
	for name, field := range fieldsOf(model, "tfsdk") {
		if _, isSet := field.Interface().(types.Set); !isSet && valueOf(field).IsNull() {
			names = append(names, name)
		}
	}
	Forget(model, names)
}

// Copy copies the named settings of one model to another one of the same type. Both are
// pointers to structs.
func Copy(from, to any, names []string) {
	target := fieldsOf(to, "tfsdk")
	for name, field := range fieldsOf(from, "tfsdk") {
		if slices.Contains(names, name) {
			target[name].Set(field)
		}
	}
}

// Request sets, in a request, the named settings of a model. It leaves out a value that is
// unknown or null, except that a set without elements is an empty list. model and request are
// pointers to structs.
func Request(model, request any, names []string) {
	fields := fieldsOf(model, "tfsdk")
	for name, maybe := range fieldsOf(request, "json") {
		field, paired := fields[name]
		if !paired || !slices.Contains(names, name) || valueOf(field).IsUnknown() {
			continue
		}
		var value any
		switch v := field.Interface().(type) {
		case types.String:
			value = v.ValueString()
		case types.Int64:
			value = v.ValueInt64()
		case types.Bool:
			value = v.ValueBool()
		case types.Set:
			value = Sorted(ElementsOf(v))
		default:
			panic(unpaired(field))
		}
		if _, isSet := value.([]string); isSet || !valueOf(field).IsNull() {
			maybe.FieldByName("Value").Set(reflect.ValueOf(value))
			maybe.FieldByName("Set").SetBool(true)
		}
	}
}

// Names returns the names of the settings of a model, sorted. model is a pointer to a struct.
func Names(model any) []string { return SortedKeys(fieldsOf(model, "tfsdk")) }

func unpaired(field reflect.Value) string {
	return fmt.Sprintf("internal/provider/attributes/fields.go has no case for a setting of the type %s: add one", field.Type())
}

func valueOf(field reflect.Value) attr.Value { return field.Interface().(attr.Value) }

// fieldsOf returns the fields of a struct by their tags. of is a pointer to it.
func fieldsOf(of any, tag string) map[string]reflect.Value {
	v := reflect.ValueOf(of).Elem()
	fields := make(map[string]reflect.Value, v.NumField())
	for i, name := range tagsOf(v.Type(), tag) {
		fields[name] = v.Field(i)
	}
	return fields
}

// tags has the tags of each struct's fields, because reading them takes most of the time.
var tags sync.Map

func tagsOf(of reflect.Type, tag string) []string {
	type key struct {
		of  reflect.Type
		tag string
	}
	if known, ok := tags.Load(key{of, tag}); ok {
		return known.([]string)
	}
	names := make([]string, of.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(of.Field(i).Tag.Get(tag), ",")
	}
	tags.Store(key{of, tag}, names)
	return names
}
