//go:build !unix

package process

import (
	"os"
	"syscall"
)

func attributes(Spec) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// signalGroup reaches only the leader, because this system has no process groups.
func signalGroup(pid int, s os.Signal) error {
	leader, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return leader.Signal(s)
}
