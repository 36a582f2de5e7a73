// Package lifetime limits the time that an operation of the client may take. An operation
// is all work for one call by Terraform. Its context carries the timeout, which errors
// name, and the grace period that its work has after an interrupt.
package lifetime
