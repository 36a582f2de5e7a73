//go:build unix && !linux

package process

import "syscall"

// contain does nothing where no signal tells of a parent's death.
func contain(*syscall.SysProcAttr, Spec) {}
