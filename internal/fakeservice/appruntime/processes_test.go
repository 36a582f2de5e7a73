package appruntime

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// groupLives tells whether a process group is still there a moment after it was
// killed. One that only waits to be forgotten by its parent does not count.
func groupLives(group int) bool {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(-group, 0) != nil || !anyAlive(group) {
			return false
		}
	}
	return true
}

// anyAlive looks through /proc for the group; where there is none, the group is
// taken to live.
func anyAlive(group int) bool {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return true
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The name, in parentheses, may hold anything; after it come the state,
		// the parent and the group.
		rest := string(text[bytes.LastIndexByte(text, ')')+1:])
		var state string
		var parent, of int
		if _, err := fmt.Sscan(rest, &state, &parent, &of); err == nil && of == group && state != "Z" && state != "X" {
			return true
		}
	}
	return false
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
