package apispec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Examples returns the values that the document names for a property of a schema: its
// examples, or else the closed set of its values. It panics if there are none, or if they
// have another type than T.
func Examples[T any](schema, property string) []T {
	doc, err := parsed()
	if err != nil {
		panic(err)
	}
	described := doc.Components.Schemas[schema]
	if described == nil || described.Value.Properties[property] == nil {
		panic(fmt.Sprintf("internal/apispec/openapi.yaml has no property %s of %s", property, schema))
	}
	of := described.Value.Properties[property].Value
	values := of.Examples
	if len(values) == 0 {
		values = of.Enum
	}
	var typed []T
	text, err := json.Marshal(values)
	if err = cmp.Or(err, json.Unmarshal(text, &typed)); err != nil || len(typed) == 0 {
		panic(fmt.Sprintf("the examples of %s of %s in internal/apispec/openapi.yaml: got %v, %v", property, schema, values, err))
	}
	return typed
}

// Properties returns the names of the properties of a schema, sorted. It panics if the
// document has no such schema.
func Properties(schema string) []string {
	doc, err := parsed()
	if err != nil {
		panic(err)
	}
	return slices.Sorted(maps.Keys(doc.Components.Schemas[schema].Value.Properties))
}
