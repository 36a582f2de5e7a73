package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// spawner is the way to the thread on which every program is started.
var spawner = sync.OnceValue(func() chan<- func() (lost bool) {
	work := make(chan func() bool)
	go serve(work)
	return work
})

// serve is the thread. If it ended, the kernel would take that for the death of
// the parent of all that was started on it. One that is lost in another view of
// the file system is of no use any more, so another one takes over, and it stays
// where it is.
func serve(work chan func() (lost bool)) {
	runtime.LockOSThread()
	// Nothing that is started here gains rights by a set-user-ID program. The
	// thread's own rights stay.
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) // every kernel since 3.5 has it
	for do := range work {
		if do() {
			go serve(work)
			select {}
		}
	}
}

// onSpawner does something on the thread. Nothing else runs there meanwhile, so
// f may change what is the thread's own, and has to change it back; lost tells
// that it could not.
func onSpawner(f func() (lost bool, err error)) error {
	done := make(chan error, 1)
	spawner() <- func() bool {
		lost, err := f()
		done <- err
		return lost
	}
	return <-done
}

func spawn(command *exec.Cmd, v *View) error {
	if command.Err != nil {
		return command.Err
	}
	return onSpawner(func() (bool, error) {
		if v == nil {
			return false, command.Start()
		}
		return elsewhere(func() error {
			if err := v.build(); err != nil {
				return fmt.Errorf("give it its view of the file system: %w", err)
			}
			return command.Start()
		})
	})
}

// elsewhere does something in a new mount namespace, on the spawner. The
// namespace lives on in what f has started, and nowhere else.
func elsewhere(f func() error) (lost bool, err error) {
	home, err := os.Open("/proc/thread-self/ns/mnt")
	if err != nil {
		return false, err
	}
	defer home.Close()
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return false, err
	}
	// From here on, nothing that is mounted is seen by others.
	if err = syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err == nil {
		err = f()
	}
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNS); back != nil {
		return true, errors.Join(err, back)
	}
	return false, err
}

// CanContain tells whether this process may give others a view of their own, of
// the file system and of processes. It is tried once, since being root is not
// enough inside some containers.
var CanContain = sync.OnceValue(func() bool {
	if os.Geteuid() != 0 {
		return false
	}
	return onSpawner(func() (bool, error) {
		home, err := os.Open("/proc/thread-self/ns/pid")
		if err != nil {
			return false, err
		}
		defer home.Close()
		return elsewhere(func() error {
			if err := syscall.Unshare(syscall.CLONE_NEWPID); err != nil {
				return err
			}
			return unix.Setns(int(home.Fd()), unix.CLONE_NEWPID)
		})
	}) == nil
})

// contain lets the kernel end the process when this one is gone, so that even a
// program that was killed leaves nothing behind. That reaches the process itself
// alone. Where this program may, a contained one is therefore the first of a PID
// namespace: whatever it has started, in whichever group and session, ends with
// it.
func contain(a *syscall.SysProcAttr, s Spec) {
	a.Pdeathsig = cmp.Or(s.Orphaned, syscall.SIGKILL)
	if s.Contained && CanContain() {
		a.Cloneflags |= syscall.CLONE_NEWPID
	}
}
