//go:build unix && !linux

package process

import "syscall"

// endWithParent does nothing on systems that cannot signal a parent's death.
func endWithParent(*syscall.SysProcAttr, Spec) {}
