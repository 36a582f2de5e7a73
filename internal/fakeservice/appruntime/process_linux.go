package appruntime

import (
	"os/exec"
	"runtime"
	"syscall"
)

// onOwnThread runs a function on a thread that nothing else runs on. What the
// function changes of the thread, such as its view of the file system, is passed
// on to a process that it starts and to nothing else; changed tells that it did.
//
// Such a thread is of no use to others afterwards, and it is parked for good: if
// it ended, the kernel would take that for the death of the parent of whatever
// was ever started on it, also by others before it was this function's, and
// would kill what asked to be killed then.
func onOwnThread(f func() (changed bool)) {
	runtime.LockOSThread()
	if f() {
		select {}
	}
	runtime.UnlockOSThread()
}

// dieWithParent lets the kernel kill the process when the thread that started
// it is gone, so that even a fake that was killed leaves no app behind. That
// reaches the process itself alone. Where this program may, it is therefore the
// first one of a PID namespace: whatever it has started, in whichever group and
// session, ends with it.
func dieWithParent(command *exec.Cmd) {
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if viewsWork() {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWPID
	}
}
