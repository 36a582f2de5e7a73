//go:build unix

package process

import (
	"os"
	"syscall"
)

// attributes gives a program a process group of its own, so that a Ctrl-C at the
// terminal reaches this program alone, which then ends the others in order. Who
// is another user belongs to no groups but that user's own. In a sandbox the program
// becomes that user inside.
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
