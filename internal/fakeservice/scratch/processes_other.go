//go:build unix && !linux

package scratch

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// endProcessesIn ends what was started with the path of something in a folder,
// such as a server with its data or a program that was built there: this system
// does not end a program with its parent, nor say as a file where it works. It
// gives how many there were.
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
