package appruntime

import (
	"slices"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// groupEnds waits for the end of a process group that was killed.
func groupEnds(t *testing.T, group int) {
	t.Helper()
	machine.Until(t, "the process group has ended", func() bool {
		return syscall.Kill(-group, 0) != nil || !slices.ContainsFunc(processes.List(t), func(p processes.Process) bool { return p.Group == group })
	})
}

func kill(t *testing.T, pid int) {
	t.Helper()
	must.Do(t, syscall.Kill(pid, syscall.SIGKILL))
}
