// Package acceptance has the provider's tests under a real Terraform or OpenTofu, most of
// them on the fake service. It contains no code besides tests.
package acceptance
