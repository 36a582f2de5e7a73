//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent does nothing where the kernel has no such thing.
func dieWithParent(*syscall.SysProcAttr) {}
