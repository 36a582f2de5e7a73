//go:build !unix

package appruntime

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup only makes room for attributes where there are no process groups.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{} }

func interruptGroup(pid int) error { return killGroup(pid) }

func killGroup(pid int) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Kill()
}

// runAs does nothing where this program cannot start others as somebody else.
func runAs(*exec.Cmd, int) {}
