package base

import "github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"

// A NamedObject is an object with its own name on an instance. Both are empty as far as they
// are unknown.
type NamedObject struct {
	What       string // "app web"
	InstanceID string
}

// Managed returns the object for the process's record of created objects.
func (o NamedObject) Managed() planning.Object {
	return planning.Object{Kind: o.What, Key: o.InstanceID}
}
