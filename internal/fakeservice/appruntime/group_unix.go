//go:build unix

package appruntime

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group of its own, so that it can be ended
// with everything that it starts, and a terminal's Ctrl-C does not reach it.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGTERM) }
func killGroup(pid int) error      { return syscall.Kill(-pid, syscall.SIGKILL) }

// runAs makes a command another user's, if one is named. It belongs to no
// groups but that user's own.
func runAs(command *exec.Cmd, user int) {
	if user == 0 {
		return
	}
	id := uint32(user)
	command.SysProcAttr.Credential = &syscall.Credential{Uid: id, Gid: id}
}
