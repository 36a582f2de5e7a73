// Package privatestate reads and writes what resources note in private state, which
// Terraform stores with the state and does not show. keys.go lists the notes.
package privatestate

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// A Reader reads private state.
type Reader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// A Writer writes private state.
type Writer interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// A ReadWriter reads and writes private state, such as that of the response of a Read.
type ReadWriter interface {
	Reader
	Writer
}

// Save saves a value in a resource's private state.
func Save(ctx context.Context, private Writer, key string, value any, diags *diag.Diagnostics) {
	encoded, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to save private state", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, key, encoded)...)
}

// Load reads a value from a resource's private state. It returns false if there is
// none.
func Load[T any](ctx context.Context, private Reader, key string, diags *diag.Diagnostics) (T, bool) {
	var value T
	raw, found := private.GetKey(ctx, key)
	diags.Append(found...)
	if len(raw) == 0 || string(raw) == "null" {
		return value, false
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		diags.AddError("Unable to read private state", err.Error())
		return value, false
	}
	return value, true
}
