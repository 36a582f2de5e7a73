package process

import (
	"cmp"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawner sends work to the thread on which every program is started.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		// Programs started here gain no rights from a set-user-ID program, and have their
		// own session keyring. A kernel without these features needs neither.
		_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		for do := range work {
			_, _ = unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0)
			do()
		}
	}()
	return work
})

func spawn(command *exec.Cmd) error {
	done := make(chan error, 1)
	spawner() <- func() { done <- command.Start() }
	return <-done
}

// endWithParent makes the kernel end a program when this one is killed. That includes only
// the program itself, not its descendants.
func endWithParent(a *syscall.SysProcAttr, s Spec) {
	a.Pdeathsig = cmp.Or(s.Orphaned, syscall.SIGKILL)
}
