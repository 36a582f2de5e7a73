package provider

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A privateState is a resource's private state, as the framework keeps it: values in
// JSON by their keys.
type privateState map[string][]byte

// readPrivateState reads private state off the protocol. It is false for what the
// framework refuses, and for what it keeps there for itself.
func readPrivateState(encoded []byte) (privateState, bool) {
	private := privateState{}
	if len(encoded) == 0 {
		return private, true
	}
	if json.Unmarshal(encoded, &private) != nil || private == nil {
		return nil, false
	}
	for key, value := range private {
		if strings.HasPrefix(key, ".") || !utf8.Valid(value) || !json.Valid(value) {
			return nil, false
		}
	}
	return private, true
}

// encoded is the private state for the protocol; nil for none.
func (p privateState) encoded() []byte {
	if len(p) == 0 {
		return nil
	}
	encoded, _ := json.Marshal(p) // bytes by strings can be encoded
	return encoded
}

// GetKey reads a value.
func (p privateState) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return p[key], nil
}

// SetKey keeps a value, or drops it where it is nil.
func (p privateState) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if len(value) == 0 {
		delete(p, key)
	} else {
		p[key] = value
	}
	return nil
}

// has tells whether anything is kept under one of the keys.
func (p privateState) has(keys ...string) bool {
	for _, key := range keys {
		if _, there := p[key]; there {
			return true
		}
	}
	return false
}
