package client

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// The settings of an object are a struct of Maybe fields, which stands in the object's
// record and in the requests that create and change it. This file compares two such structs
// field by field.

// Missing returns the settings of a change that a record does not show: it lacks them, or has
// other values.
func Missing[S any](change, record S) S {
	return without(change, record, func(asked, shown reflect.Value) bool { return isSet(shown) && sameValue(asked, shown) })
}

// Contradicted returns the settings of a change for which a record has other values.
func Contradicted[S any](change, record S) S {
	return without(change, record, func(asked, shown reflect.Value) bool { return !isSet(shown) || sameValue(asked, shown) })
}

// IsEmpty reports whether no setting is set.
func IsEmpty[S any](settings S) bool { return len(Names(settings)) == 0 }

// Names returns the names of the settings that are set, sorted.
func Names[S any](settings S) []string {
	var names []string
	of := reflect.ValueOf(settings)
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ","); isSet(of.Field(i)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withoutZeros unsets the texts and the numbers of a record that are zero: none of them is a
// value, and the record of an app that is stopped may have them.
func withoutZeros[S any](record *S) {
	of := reflect.ValueOf(record).Elem()
	for i := range of.NumField() {
		switch value := of.Field(i).FieldByName("Value"); value.Kind() {
		case reflect.String, reflect.Int64:
			if value.IsZero() {
				of.Field(i).SetZero()
			}
		}
	}
}

// without unsets the settings of a change that are to be dropped.
func without[S any](change, record S, isDropped func(asked, shown reflect.Value) bool) S {
	of, in := reflect.ValueOf(&change).Elem(), reflect.ValueOf(record)
	for i := range of.NumField() {
		if isDropped(of.Field(i), in.Field(i)) {
			of.Field(i).SetZero()
		}
	}
	return change
}

func isSet(field reflect.Value) bool { return field.FieldByName("Set").Bool() }

// sameValue compares the values of two fields. The order of a list of words does not count.
func sameValue(a, b reflect.Value) bool {
	switch a := a.FieldByName("Value").Interface().(type) {
	case []string:
		return sameSet(a, b.FieldByName("Value").Interface().([]string))
	case map[string]string:
		return maps.Equal(a, b.FieldByName("Value").Interface().(map[string]string))
	default:
		return a == b.FieldByName("Value").Interface()
	}
}

// MarshalJSON writes the value. A list or a map that is nil is an empty one. A field that is
// not set needs the option omitzero.
func (m Maybe[T]) MarshalJSON() ([]byte, error) {
	encoded, err := json.Marshal(m.Value)
	if value := reflect.ValueOf(m.Value); m.Set && string(encoded) == "null" {
		switch value.Kind() {
		case reflect.Slice:
			return []byte("[]"), err
		case reflect.Map:
			return []byte("{}"), err
		}
	}
	return encoded, err
}
