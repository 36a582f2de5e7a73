//go:build unix && !linux

package process

import "syscall"

// endWithParent does nothing where no signal tells of a parent's death.
func endWithParent(*syscall.SysProcAttr, Spec) {}
