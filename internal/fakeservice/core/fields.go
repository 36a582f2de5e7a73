package core

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
)

// An object stands in up to three structs: as it is stored, as the API shows it, and as a
// request sends it, where each field is a pointer, and nil if it was not sent. This file
// pairs fields of the same name.

// Fields iterates over the fields of a request, to which it has a pointer. It yields a
// pointer to each field, such as a **string, by its name in the API.
func Fields(request any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		of := reflect.ValueOf(request).Elem()
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
			if !yield(name, of.Field(i).Addr().Interface()) {
				return
			}
		}
	}
}

// apply sets the fields of a stored object that a request sends.
func apply(stored, request any) {
	eachPair(stored, request, func(target, sent reflect.Value) {
		if !sent.IsNil() {
			target.Set(copied(sent.Elem()))
		}
	})
}

// send makes a request send the fields of an object that are not zero.
func send(request, object any) {
	eachPair(object, request, func(value, sent reflect.Value) {
		if !value.IsZero() {
			sent.Set(reflect.New(value.Type()))
			sent.Elem().Set(copied(value))
		}
	})
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

// eachPair calls do with each field of a request and the object's field of the same name.
func eachPair(object, request any, do func(field, sent reflect.Value)) {
	of, from := reflect.ValueOf(object).Elem(), reflect.ValueOf(request).Elem()
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		field := of.FieldByName(name)
		if !field.IsValid() {
			panic(fmt.Sprintf("%s has a field %s, and %s has none: add it", from.Type(), name, of.Type()))
		}
		do(field, from.Field(i))
	}
}

// fillIn sets the fields of an object that are zero to those of another one.
func fillIn[T any](object *T, usual T) {
	of, from := reflect.ValueOf(object).Elem(), reflect.ValueOf(usual)
	for i := range of.NumField() {
		if of.Field(i).IsZero() && !from.Field(i).IsZero() {
			of.Field(i).Set(copied(from.Field(i)))
		}
	}
}

// show sets the fields of a record of the API that a stored object also has. A pointer is
// nil if the stored field is zero. A field whose type is another one stays as it is.
func show(record, stored any) {
	of, from := reflect.ValueOf(record).Elem(), reflect.ValueOf(stored).Elem()
	for i := range of.NumField() {
		target, value := of.Field(i), from.FieldByName(of.Type().Field(i).Name)
		switch {
		case !value.IsValid():
		case value.Type() == target.Type():
			target.Set(copied(value))
		case target.Type() == reflect.PointerTo(value.Type()) && !value.IsZero():
			target.Set(reflect.New(value.Type()))
			target.Elem().Set(value)
		}
	}
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
