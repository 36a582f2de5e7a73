package providertest

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A PrivateState is a resource's private state as the framework stores it: JSON values by
// key.
type PrivateState map[string][]byte

// Encoded returns the private state in the form of the protocol, or nil if it is empty.
func (p PrivateState) Encoded() []byte {
	if len(p) == 0 {
		return nil
	}
	encoded, _ := json.Marshal(p) // a map from strings to bytes can be encoded
	return encoded
}

// GetKey returns a value.
func (p PrivateState) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return p[key], nil
}

// SetKey stores a value, or deletes the key if the value is empty.
func (p PrivateState) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if len(value) == 0 {
		delete(p, key)
	} else {
		p[key] = value
	}
	return nil
}
