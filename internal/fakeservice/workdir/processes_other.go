//go:build unix && !linux

package workdir

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// endProcessesIn kills the processes that have a path in a folder among their arguments,
// such as a server with its data or a program that was built there. This system does not
// end a program with its parent, and does not show working folders as files. It returns the
// number of processes.
func endProcessesIn(folder string) (found int) {
	listed, err := exec.Command("ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(listed)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, err := strconv.Atoi(number)
		if err != nil || id == os.Getpid() || !strings.Contains(command, folder+"/") {
			continue
		}
		if syscall.Kill(id, syscall.SIGKILL) == nil {
			found++
		}
	}
	return found
}
