package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
)

// built is a folder with the demo, the fake and the provider.
var built program.SharedFolder

func TestMain(m *testing.M) { os.Exit(built.Run(m)) }

// root is the repository.
const root = "../.."

// programs returns the folder of the built programs, and the CLI.
func programs(t *testing.T) (folder, cli string) {
	t.Helper()
	tier.Change.Only(t)
	if os.Getenv("TF_ACC") == "" {
		machine.Lacks(t, "the demo is run only with TF_ACC=1")
	}
	if _, err := postgres.Locate(t.Context(), ""); err != nil {
		machine.Lacks(t, "the demo needs PostgreSQL: %s", err)
	}
	folder = built.Path(t, func(folder string) error {
		return errors.Join(
			program.Build(filepath.Join(folder, program.Provider), "."),
			program.Build(filepath.Join(folder, "fakeservice"), "cmd/fakeservice"),
			program.Build(filepath.Join(folder, "demo"), "cmd/demo"),
		)
	})
	return folder, cliversion.UnderTest()
}

// demonstration is a demo on a terminal that a test reads.
type demonstration struct {
	*pty
	command *exec.Cmd
	// place is the folder with all files of the demo.
	place string
}

// demonstrate starts the demo on a separate terminal, with more arguments.
func demonstrate(t *testing.T, more ...string) *demonstration {
	t.Helper()
	bin, cli := programs(t)
	// The test's own folder is unsuitable: its path is too long for sockets, and other
	// users, whose processes the fake starts, cannot enter it.
	place := must.Get(os.MkdirTemp("", "demo"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(place) })
	temporary := filepath.Join(place, "tmp")
	must.Do(t, errors.Join(os.Chmod(place, 0o755), os.Mkdir(temporary, 0o777), os.Chmod(temporary, 0o777)))
	d := &demonstration{pty: openPTY(t, 120), place: place}
	d.command = exec.Command(filepath.Join(bin, "demo"), append([]string{"--cli", cli, "--bin", bin,
		"--folder", filepath.Join(place, "work"), "--artifacts", filepath.Join(place, "artifacts")}, more...)...)
	d.command.Dir = root
	d.command.Env = append(os.Environ(), "TMPDIR="+temporary, "TERM=xterm")
	d.command.Stdin, d.command.Stdout, d.command.Stderr = d.terminal, d.terminal, d.terminal
	d.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(t, d.command.Start())
	t.Cleanup(func() { _ = d.command.Process.Signal(syscall.SIGTERM) })
	return d
}

var whereItAnswers = regexp.MustCompile(`http://(127\.0\.0\.1:\d+)/api/v1`)

// mustBeGone fails if anything of the demo is left: the fake, a file, a process.
func (d *demonstration) mustBeGone(t *testing.T) {
	t.Helper()
	match := whereItAnswers.FindStringSubmatch(d.text())
	if match == nil {
		t.Fatalf("the output: got\n%s\nwant the fake's address in it", d.text())
	}
	if connection, err := net.Dial("tcp", match[1]); err == nil {
		_ = connection.Close()
		t.Errorf("the fake's address %s: got an answer, want none", match[1])
	}
	if _, err := os.Stat(filepath.Join(d.place, "work")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the demo's folder: got %v, want it gone", err)
	}
	left, err := os.ReadDir(filepath.Join(d.place, "tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files: got %v (%v), want none", left, err)
	}
	for _, file := range []string{"cmdline", "environ"} {
		processes, err := filepath.Glob("/proc/[0-9]*/" + file)
		if err != nil || len(processes) == 0 {
			t.Fatalf("processes with a file %s: got %d, %v, want at least 1", file, len(processes), err)
		}
		for _, process := range processes {
			// The file is missing if the process has ended in the meantime.
			if text, err := os.ReadFile(process); err == nil && strings.Contains(string(text), d.place+"/") {
				t.Errorf("processes that are left: got that of %s, want none: %s", process, strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
	}
}

// An interrupted demo leaves nothing behind, however it is ended.
func TestDemoIsInterrupted(t *testing.T) {
	for name, test := range map[string]struct {
		leave func(*demonstration) error
		says  string
	}{
		"Ctrl-C": {
			leave: func(d *demonstration) error { _, err := d.keyboard.WriteString("\x03"); return err },
			says:  "Interrupted. All of it is stopped, and nothing of it is left.",
		},
		"the terminal is closed": {leave: func(d *demonstration) error { return d.keyboard.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := demonstrate(t)
			must.Do(t, d.terminal.Close())
			d.until(t, "the progress of a job", func(text string) bool {
				return strings.Contains(text, "Apply the guestbook, about 45s · create ")
			})
			must.Do(t, test.leave(d))
			var exit *exec.ExitError
			if err := d.command.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("the end of the demo: got %v, want exit 130:\n%s", err, d.end())
			}
			<-d.ended
			if !strings.Contains(d.text(), test.says) || strings.Contains(d.text(), "demo:") {
				t.Errorf("the output: got\n%s\nwant %q and no error in it", d.end(), test.says)
			}
			d.mustBeGone(t)
		})
	}
}

// The CLI's output is shown on request and after an error.
func TestCommandKeepsWhatTheCLIPrints(t *testing.T) {
	t.Parallel()
	cli := filepath.Join(t.TempDir(), "terraform")
	machine.WriteProgram(t, cli, []byte("#!/bin/sh\necho \"the plan of $*\"\necho 'Error: no' >&2\nexit \"$2\"\n"))
	const printed = "the plan of apply 3\nError: no\n"
	work := &workspace{cli: cli, module: t.TempDir()}
	must.Report(t, work.command(t.Context(), "apply", "0"))
	err := work.command(t.Context(), "apply", "3")
	if err == nil || err.Error() != "terraform apply 3: exit status 3\n"+printed {
		t.Errorf("the error: got %v, want exit status 3 with the output", err)
	}
	if _, err := work.output(t.Context(), "output", "3"); err == nil || !strings.Contains(err.Error(), "Error: no") {
		t.Errorf("the error: got %v, want that of the program", err)
	}
	var plans strings.Builder
	work.plans = &plans
	if err := work.command(t.Context(), "apply", "3"); err == nil || strings.Contains(err.Error(), "plan of") || plans.String() != printed {
		t.Errorf("the error: got %v with %q shown, want an error with the output shown in full", err, &plans)
	}
}
