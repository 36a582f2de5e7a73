//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// withFake returns a command that the program runs with a fake.
func withFake(ctx context.Context, t *testing.T, script string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(ctx, builtProgram(t), "run", "--data-plane", "off", "--", "sh", "-c", script)
}

// The command has the program's streams and the fake's address and keys. The fake answers
// until the command ends. Its standard output is the command's alone.
func TestRunCommand(t *testing.T) {
	t.Parallel()
	command := withFake(t.Context(), t, `echo "$HOSTING_BASE_URL $HOSTING_API_KEY $FAKESERVICE_CONTROL_TOKEN"; read line; echo "got $line" >&2; exit 7`)
	var errs bytes.Buffer
	command.Stderr = &errs
	in := must.Get(command.StdinPipe())(t)
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	reader := bufio.NewReader(out)
	line, err := reader.ReadString('\n')
	given := strings.Fields(line)
	if err != nil || len(given) != 3 {
		t.Fatalf("the variables: got %q and error %v, want three", line, err)
	}
	for address, token := range map[string]string{given[0] + "/plans": given[1], strings.TrimSuffix(given[0], "/api/v1") + "/_fake/state": given[2]} {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		must.Do(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("GET %s: got %d, want 200", address, response.StatusCode)
		}
	}
	must.Get(io.WriteString(in, "input\n"))(t)
	rest, err := io.ReadAll(reader)
	if err != nil || len(rest) > 0 {
		t.Errorf("the rest of the output: got %q and error %v, want nothing", rest, err)
	}
	mustExit(t, command.Wait(), 7)
	if errs.String() != "got input\n" {
		t.Errorf("the command's errors: got %q, want got input", errs.String())
	}
	address := must.Get(url.Parse(given[0]))(t)
	if _, err := net.Dial("tcp", address.Host); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connection after the end: got error %v, want %v", err, syscall.ECONNREFUSED)
	}
}

func mustExit(t *testing.T, err error, status int) {
	t.Helper()
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if got != status {
		t.Errorf("the status: got %d, want %d", got, status)
	}
}

func TestStatusOfACommand(t *testing.T) {
	t.Parallel()
	for script, status := range map[string]int{"true": 0, "exit 3": 3, "kill -KILL $$": 137, "kill -TERM $$": 143} {
		mustExit(t, withFake(t.Context(), t, script).Run(), status)
	}
	said, err := exec.CommandContext(t.Context(), builtProgram(t), "run", "--", "no-such-command").CombinedOutput()
	if mustExit(t, err, 1); !strings.Contains(string(said), `"no-such-command": executable file not found`) {
		t.Errorf("a command that does not exist: got %s, want its name", said)
	}
}

// Each signal reaches the command once. The fake answers until the command has ended, and
// leaves nothing.
func TestSignalsOfACommand(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			ready := filepath.Join(t.TempDir(), "ready")
			command := exec.CommandContext(t.Context(), builtProgram(t), "run", "--data-plane", "off", "--ready-file", ready, "--", "sh", "-c",
				fmt.Sprintf(`trap 'echo caught; test -s %s && exit 3' %d; echo begun; while :; do sleep 0.05; done`, ready, s))
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
			out := must.Get(command.StdoutPipe())(t)
			must.Do(t, command.Start())
			reader := bufio.NewReader(out)
			if line, err := reader.ReadString('\n'); line != "begun\n" {
				t.Fatalf("the output: got %q and error %v, want begun", line, err)
			}
			must.Do(t, command.Process.Signal(s))
			if rest, err := io.ReadAll(reader); string(rest) != "caught\n" {
				t.Errorf("the output after the signal: got %q and error %v, want caught once", rest, err)
			}
			mustExit(t, command.Wait(), 3)
			if _, err := os.Stat(ready); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the ready file: got error %v, want %v", err, os.ErrNotExist)
			}
		})
	}
}
