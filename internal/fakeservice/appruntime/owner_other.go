//go:build !unix

package appruntime

// asOwner returns "": this system has no root.
func asOwner(string) (string, error) { return "", nil }
