package apispec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/oasdiff/yaml"
)

// Tree returns the document as plain objects, lists and values. Each call returns a new
// copy. Unlike a parsed OpenAPI document, it keeps the properties next to a $ref, and so
// every x-settled mark.
func Tree() (map[string]any, error) {
	var tree map[string]any
	if _, err := yaml.Unmarshal(document, &tree, yaml.DecodeOpts{}); err != nil {
		return nil, fmt.Errorf("parse the API document: %w", err)
	}
	return tree, nil
}

// JSON returns the document in JSON. It is converted once for the whole process.
func JSON() ([]byte, error) {
	text, err := converted()
	return bytes.Clone(text), err
}

var converted = sync.OnceValues(func() ([]byte, error) {
	tree, err := Tree()
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(tree, "", "  ")
})
