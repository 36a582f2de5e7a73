package process

import (
	"cmp"
	"math"
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
	spawner() <- func() {
		err := withholdDescriptors()
		if err == nil {
			err = command.Start()
		}
		done <- err
	}
	return <-done
}

// withholdDescriptors keeps programs from inheriting the descriptors that this process has
// inherited itself, or that a library has opened. An open folder of this machine would be a
// way out of the sandbox. Go's own descriptors are close-on-exec already, and ExtraFiles
// are passed on nevertheless.
func withholdDescriptors() error {
	if unix.CloseRange(firstDescriptor, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	return withholdEach() // the kernel is older than 5.11, or the call is not allowed
}

// endWithParent makes the kernel end a program when this one is killed. That includes only
// the program itself, not its descendants.
func endWithParent(a *syscall.SysProcAttr, s Spec) {
	a.Pdeathsig = cmp.Or(s.Orphaned, syscall.SIGKILL)
}
