package scratch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// endProcessesIn ends what works in a folder or was built there, as far as this
// program may: an owner that was killed without a PID namespace to contain them
// leaves what its apps and builds have started.
func endProcessesIn(folder string) {
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return
	}
	for _, process := range found {
		id, err := strconv.Atoi(filepath.Base(process))
		if err != nil || id == os.Getpid() {
			continue
		}
		for _, what := range []string{"cwd", "exe"} {
			at, err := os.Readlink(filepath.Join(process, what))
			if err == nil && (at == folder || strings.HasPrefix(at, folder+"/")) {
				_ = syscall.Kill(id, syscall.SIGKILL) // it may be gone by now
				break
			}
		}
	}
}
