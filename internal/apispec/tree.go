package apispec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/oasdiff/yaml"
)

// object is an object of the document.
type object = map[string]any

// Tree returns the document as plain objects, lists and values. Each call returns a new
// copy. Unlike a parsed OpenAPI document, it keeps the properties next to a $ref, and so
// every x-settled mark.
func Tree() (map[string]any, error) {
	var tree object
	if _, err := yaml.Unmarshal(source, &tree, yaml.DecodeOpts{}); err != nil {
		return nil, fmt.Errorf("parse the API document: %w", err)
	}
	schemas := objectOf(objectOf(tree["components"])["schemas"])
	for part := range compose(schemas) {
		delete(schemas, part)
	}
	return tree, nil
}

// compose replaces each allOf of a schema by what the named schemas describe, and returns
// their names. So a reader finds all properties of an object in one place, and the
// validator, which ignores unevaluatedProperties, refuses unknown ones.
func compose(schemas object) map[string]bool {
	parts := map[string]bool{}
	var include func(object)
	include = func(schema object) {
		properties, required := object{}, []any{}
		for _, one := range listOf(schema["allOf"]) {
			name := strings.TrimPrefix(fmt.Sprint(objectOf(one)["$ref"]), "#/components/schemas/")
			part := objectOf(schemas[name])
			include(part)
			maps.Copy(properties, objectOf(part["properties"]))
			required = append(required, listOf(part["required"])...)
			parts[name] = true
		}
		if strict, there := schema["unevaluatedProperties"]; there {
			schema["additionalProperties"] = strict
		}
		if schema["allOf"] != nil {
			maps.Copy(properties, objectOf(schema["properties"]))
			schema["properties"], schema["required"] = properties, append(required, listOf(schema["required"])...)
		}
		delete(schema, "allOf")
		delete(schema, "unevaluatedProperties")
	}
	for _, schema := range schemas {
		include(objectOf(schema))
	}
	return parts
}

func objectOf(value any) object {
	o, _ := value.(object)
	return o
}

func listOf(value any) []any {
	l, _ := value.([]any)
	return l
}

// Document returns the OpenAPI 3.1 description of the REST API, in JSON.
func Document() []byte { return bytes.Clone(document()) }

// document is converted once for the whole process.
var document = sync.OnceValue(func() []byte {
	tree, err := Tree()
	if err == nil {
		var text []byte
		if text, err = json.MarshalIndent(tree, "", "  "); err == nil {
			return text
		}
	}
	panic("apispec: " + err.Error()) // every test finds this
})
