package postgres

import "syscall"

// dieWithParent makes the kernel stop the process when the fake is killed in a
// way that leaves it no time.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
