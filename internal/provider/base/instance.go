package base

import "github.com/instance-hosting/terraform-provider-hosting/internal/client"

// Runs reports whether an instance with this status is running. An unknown status counts
// as running if the instance has run before (SERVICE.md#tolerance).
func Runs(status string, ranBefore bool) bool {
	switch status {
	case client.StatusRunning:
		return true
	case "", client.StatusCreating, client.StatusDeleting, client.StatusFailed:
		return false
	}
	return ranBefore
}

// HasRun reports whether an instance is past its creation.
func HasRun(i client.Instance) bool { return !i.IsCreating() }
