package wire

import (
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A Model puts values into a struct of the framework's, whose fields name their
// attributes with a tag tfsdk.
type Model[M any] struct{ fields []int }

// NewModel finds the field of each attribute of an object.
func NewModel[M any](o *Object) (Model[M], bool) {
	var model Model[M]
	of := reflect.TypeFor[M]()
	if of.NumField() != len(o.names) {
		return model, false
	}
	for i, name := range o.names {
		at := slices.IndexFunc(reflect.VisibleFields(of), func(f reflect.StructField) bool { return f.Tag.Get("tfsdk") == name })
		if at < 0 || of.Field(at).Type != reflect.TypeOf(o.attributes[i].null) {
			return model, false
		}
		model.fields = append(model.fields, at)
	}
	return model, true
}

// Of is the model of an object's values.
func (m Model[M]) Of(values []attr.Value) M {
	var model M
	of := reflect.ValueOf(&model).Elem()
	for i, at := range m.fields {
		of.Field(at).Set(reflect.ValueOf(values[i]))
	}
	return model
}

// Same tells whether a model has just those values, sets in the same order.
func (m Model[M]) Same(model M, values []attr.Value) bool {
	of := reflect.ValueOf(model)
	for i, at := range m.fields {
		value, ok := of.Field(at).Interface().(attr.Value)
		if !ok || !same(value, values[i]) {
			return false
		}
	}
	return true
}

func same(a, b attr.Value) bool {
	if a, ok := a.(types.Set); ok {
		b, ok := b.(types.Set)
		return ok && a.IsNull() == b.IsNull() && a.IsUnknown() == b.IsUnknown() && slices.EqualFunc(a.Elements(), b.Elements(), attr.Value.Equal)
	}
	return a.Equal(b)
}
