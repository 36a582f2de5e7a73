package appruntime

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
)

// groupLives tells whether a process group is still there a moment after it was
// killed.
func groupLives(t *testing.T, group int) bool {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(-group, 0) != nil || !slices.ContainsFunc(processes.List(t), func(p processes.Process) bool { return p.Group == group }) {
			return false
		}
	}
	return true
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
