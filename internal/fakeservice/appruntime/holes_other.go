//go:build !linux

package appruntime

import "os"

// nextData returns the rest of a file, holes included.
func nextData(_ *os.File, at, size int64) (begin, end int64, err error) { return at, size, nil }
