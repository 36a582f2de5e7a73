package appruntime

import (
	"os/exec"
	"runtime"
	"syscall"
)

// onOwnThread runs a function on a thread of its own, which ends with it. What
// the function changes of the thread, such as its view of the file system, is
// passed on to a process that it starts and to nothing else.
func onOwnThread(f func()) {
	runtime.LockOSThread() // and never unlocked, which ends the thread
	f()
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
