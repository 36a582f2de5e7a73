//go:build !unix

package process

import (
	"os"
	"syscall"
)

func attributes(Spec) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// signalGroup reaches the leader alone where there are no process groups.
func signalGroup(pid int, s os.Signal) error {
	leader, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return leader.Signal(s)
}
