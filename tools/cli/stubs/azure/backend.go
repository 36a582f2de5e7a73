// Package azure stands in for Terraform's "azure" state backend, whose module is not
// published at a version that matches the CLI. The CLI built here is used for
// demos, tests and documentation only, none of which keep remote state.
package azure

import (
	"github.com/hashicorp/terraform/internal/backend"
	"github.com/hashicorp/terraform/internal/backend/remote-state/inmem"
)

// New returns the in-memory backend in place of the real one.
func New() backend.Backend {
	return inmem.New()
}
