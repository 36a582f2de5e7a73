package acceptance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// A provider ends after the process that started it was killed, although it ignores
// SIGTERM. With -debug it has no CLI and continues to run.
func TestProviderEndsWithItsParent(t *testing.T) {
	shell := exec.CommandContext(t.Context(), "sh", "-c", `"$0" & "$0" -debug & wait`, filepath.Join(providerFolder(t), "terraform-provider-hosting"))
	shell.Env = append(os.Environ(), "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2", "PLUGIN_PROTOCOL_VERSIONS=6")
	said, says, err := os.Pipe()
	must(t, err == nil, "%v", err)
	defer said.Close()
	shell.Stdout = says
	must(t, shell.Start() == nil && says.Close() == nil, "the shell does not start")
	for lines, serving := bufio.NewScanner(said), 0; serving < 2; {
		must(t, lines.Scan(), "a provider: got no line (%v), want one", lines.Err())
		if strings.HasPrefix(lines.Text(), "1|6|") || strings.Contains(lines.Text(), "TF_REATTACH_PROVIDERS") {
			serving++
		}
	}
	var served, debugged int
	for _, pid := range children(t, shell.Process.Pid) {
		defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		must(t, err == nil, "%v", err)
		if strings.Contains(string(command), "-debug") {
			debugged = pid
		} else {
			served = pid
		}
	}
	must(t, served != 0 && debugged != 0 && syscall.Kill(served, syscall.SIGTERM) == nil, "the providers: got %d and %d, want both, and the first to be stopped", served, debugged)
	must(t, shell.Process.Kill() == nil, "the shell has ended")
	_ = shell.Wait()
	machine.Until(t, "the provider ends", func() bool { return !runs(served) })
	must(t, runs(debugged), "the provider that is debugged has ended")
}

// If only the CLI is killed, its provider ends too.
func TestProviderEndsWithAKilledCLI(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = {} }`))
	defer fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})()
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	providers := children(t, apply.command.Process.Pid)
	must(t, len(providers) > 0, "the CLI has no provider")
	apply.signal(syscall.SIGKILL)
	for _, pid := range providers {
		machine.Until(t, "the provider ends", func() bool { return !runs(pid) })
	}
}

// runs reports whether a process is still running. A zombie is not.
func runs(pid int) bool {
	stat, ok := statOf(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return ok && stat.state != "Z"
}
