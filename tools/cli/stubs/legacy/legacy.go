// Package legacy stands in for a module that Terraform's go.mod names and that its command
// line does not import.
package legacy
