//go:build !linux

package appruntime

import "os/exec"

func onOwnThread(f func() (changed bool)) { f() }

// dieWithParent does nothing where no signal tells of a parent's death.
func dieWithParent(*exec.Cmd) {}
