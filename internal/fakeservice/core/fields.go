package core

import (
	"iter"
	"reflect"
	"strings"
)

// An object stands in up to three structs: as it is stored, as the API shows it, and as a
// request sends it, where each field is a pointer, and nil if it was not sent. This file
// pairs fields of the same name. A test checks that a request has no other ones.

// Fields iterates over the fields of a request or a record, given as a pointer. It yields
// a pointer to each field, such as a **string, by its name in the API.
func Fields(object any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for field, value := range reflect.ValueOf(object).Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !yield(name, value.Addr().Interface()) {
				return
			}
		}
	}
}

// Sent returns the fields that a request sends, by their names in the API.
func Sent(request any) map[string]any {
	data := map[string]any{}
	for name, field := range Fields(request) {
		if sent := reflect.ValueOf(field).Elem(); !sent.IsNil() {
			data[name] = sent.Elem().Interface()
		}
	}
	return data
}

// apply sets the fields of a stored object that a request sends.
func apply(stored, request any) {
	to := reflect.ValueOf(stored).Elem()
	for field, sent := range reflect.ValueOf(request).Elem().Fields() {
		if !sent.IsNil() {
			to.FieldByName(field.Name).Set(copied(sent.Elem()))
		}
	}
}

// send makes a request send the fields of an object that are not zero.
func send(request, object any) {
	from := reflect.ValueOf(object).Elem()
	for field, sent := range reflect.ValueOf(request).Elem().Fields() {
		if value := from.FieldByName(field.Name); !value.IsZero() {
			sent.Set(pointerTo(value))
		}
	}
}

// fillIn sets the fields of an object that are zero to those of another one.
func fillIn[T any](object *T, usual T) {
	from := reflect.ValueOf(usual)
	for field, value := range reflect.ValueOf(object).Elem().Fields() {
		if other := from.FieldByIndex(field.Index); value.IsZero() && !other.IsZero() {
			value.Set(copied(other))
		}
	}
}

// show sets the fields of a record of the API that a stored object also has. A pointer is
// nil if the stored field is zero. A field whose type is another one stays as it is.
func show(record, stored any) {
	from := reflect.ValueOf(stored).Elem()
	for field, shown := range reflect.ValueOf(record).Elem().Fields() {
		value := from.FieldByName(field.Name)
		switch {
		case !value.IsValid():
		case value.Type() == field.Type:
			shown.Set(copied(value))
		case reflect.PointerTo(value.Type()) == field.Type && !value.IsZero():
			shown.Set(pointerTo(value))
		}
	}
}

func pointerTo(value reflect.Value) reflect.Value {
	pointer := reflect.New(value.Type())
	pointer.Elem().Set(copied(value))
	return pointer
}

// copied returns a copy of a map or list, which is empty instead of nil, because their JSON
// differs. Any other value is returned as it is.
func copied(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Slice:
		return reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v)
	case reflect.Map:
		all := reflect.MakeMapWithSize(v.Type(), v.Len())
		for name, value := range v.Seq2() {
			all.SetMapIndex(name, value)
		}
		return all
	}
	return v
}
