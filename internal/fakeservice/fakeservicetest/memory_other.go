//go:build !linux

package fakeservicetest

// FastFolder is "" where nothing is known to be faster than the usual folder.
func FastFolder() string { return "" }
