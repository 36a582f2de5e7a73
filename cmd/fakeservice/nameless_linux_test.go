package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A user without a name on this machine, as in a container that was started with --user,
// gets a fake that only keeps records and says why.
func TestUserWithoutAName(t *testing.T) {
	t.Parallel()
	machine.NeedsRoot(t)
	const nobody = 54321
	program := filepath.Join(machine.PassableFolder(t, ""), "fakeservice")
	content := must.Get(os.ReadFile(builtProgram(t)))(t)
	machine.WriteProgram(t, program, content)
	start := func(arguments ...string) *exec.Cmd {
		command := exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"--listen", ":0"}, arguments...)...)
		command.Dir, command.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return command
	}
	command := start()
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "Ctrl-C") {
			break
		}
	}
	must.Report(t, command.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, out)
	if err := command.Wait(); err != nil {
		t.Errorf("the end of the program: got %v, want no error", err)
	}
	if !strings.Contains(said.String(), "It keeps records alone") || !strings.Contains(said.String(), "the user 54321 has no name on this machine") {
		t.Errorf("the output: got\n%s\nwant that records alone are kept, and why", said.String())
	}
	if refused, err := start("--data-plane", "on").CombinedOutput(); err == nil || !strings.Contains(string(refused), "has no name on this machine") {
		t.Errorf("--data-plane=on: got error %v, want one about the nameless user:\n%s", err, refused)
	}
}
