//go:build unix

package process

import (
	"os"
	"syscall"
)

// attributes puts a program into its own process group, so that a Ctrl-C at the terminal
// reaches only this program, which then ends the others in order. A program with another
// user has only that user's groups. In a sandbox, the program changes its user inside.
func attributes(s Spec) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if s.User != (User{}) && s.Sandbox == nil {
		a.Credential = &syscall.Credential{Uid: uint32(s.User.UID), Gid: uint32(s.User.GID)}
	}
	endWithParent(a, s)
	return a
}

func signalGroup(pid int, s os.Signal) error {
	number, ok := s.(syscall.Signal)
	if !ok {
		return syscall.EINVAL
	}
	return syscall.Kill(-pid, number)
}
