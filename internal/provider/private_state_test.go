package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A privateState is a resource's private state, as the framework keeps it: values in
// JSON by their keys.
type privateState map[string][]byte

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
