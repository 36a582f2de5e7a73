package apispec

import (
	"fmt"

	"github.com/oasdiff/yaml"
)

// Tree is the document as plain objects, lists and values, each call a copy of its
// own. Unlike a parsed OpenAPI document it keeps what stands beside a $ref, so every
// x-settled mark is in it.
func Tree() (map[string]any, error) {
	var tree map[string]any
	if _, err := yaml.Unmarshal(document, &tree, yaml.DecodeOpts{}); err != nil {
		return nil, fmt.Errorf("parse the API document: %w", err)
	}
	return tree, nil
}
