package guidetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A terminal belongs to a reader who types a guide's commands one after the other. They run
// in an initially empty folder, with the variables and the folder of one shell. Every
// question is answered with yes.
type terminal struct {
	t      *testing.T
	folder string   // the folder at the beginning of the guide
	memory string   // other state that the shell keeps between two commands
	env    []string // its initial environment
	exit   int      // of the last command
}

// openTerminal returns a terminal with the programs on its PATH, and variables.
func openTerminal(t *testing.T, variables ...string) *terminal {
	t.Helper()
	programs, configuration := install(t)
	parent := t.TempDir()
	s := &terminal{t: t, folder: filepath.Join(parent, "module"), memory: filepath.Join(parent, "memory")}
	for _, folder := range []string{s.folder, s.memory, filepath.Join(parent, "home")} {
		must.Do(t, os.Mkdir(folder, 0o700))
	}
	s.env = append(s.env, variables...)
	for _, variable := range os.Environ() {
		switch name, _, _ := strings.Cut(variable, "="); {
		case strings.HasPrefix(name, "TF_"), strings.HasPrefix(name, "HOSTING_"), strings.HasPrefix(name, "PG"), name == "PATH", name == "HOME":
		default:
			s.env = append(s.env, variable)
		}
	}
	s.env = append(s.env,
		"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+filepath.Join(parent, "home"),
		"TF_CLI_CONFIG_FILE="+configuration,
		"CHECKPOINT_DISABLE=1",
	)
	// Builds of apps find compiled packages, as on a reader's machine.
	for _, cache := range []string{"GOCACHE", "GOMODCACHE"} {
		folder := must.Get(exec.Command("go", "env", cache).Output())(t)
		s.env = append(s.env, cache+"="+strings.TrimSpace(string(folder)))
	}
	return s
}

// write creates a file of the guide, with its parent folders.
func (s *terminal) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.folder, filepath.FromSlash(name))
	must.Do(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(s.t, os.WriteFile(path, []byte(text), 0o600))
}

// A shell continues where the last one ended, with its folder, its variables and the exit
// code of its last command.
const session = `
if [ -f %[1]s/env ]; then . %[1]s/env; cd "$(cat %[1]s/folder)"; fi
trap 'code=$?; export -p > %[1]s/env; pwd > %[1]s/folder; exit $code' EXIT
%[2]s
(exit %[3]d)
%[4]s
`

// run types commands, and returns their output and the exit code of the last one. A strict
// shell ends with the first command that fails.
func (s *terminal) run(commands string, strict bool) string {
	s.t.Helper()
	mode := ""
	last := s.exit
	if strict {
		mode, last = "set -eu -o pipefail", 0
	}
	// A background program keeps the file open, and the shell does not wait for it.
	output := must.Get(os.Create(filepath.Join(s.memory, "output")))(s.t)
	defer output.Close()
	answers, questions, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer questions.Close()
	shell := exec.Command("bash", "-c", fmt.Sprintf(session, s.memory, mode, last, commands))
	shell.Dir, shell.Env = s.folder, s.env
	shell.Stdin, shell.Stdout, shell.Stderr = answers, output, output
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must.Do(s.t, errors.Join(shell.Start(), answers.Close()))
	// Background programs of a guide end with its test.
	s.t.Cleanup(func() { _ = syscall.Kill(-shell.Process.Pid, syscall.SIGTERM) })
	go func() {
		for {
			if _, err := questions.WriteString("yes\n"); err != nil {
				return // the shell has ended
			}
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- shell.Wait() }()
	select {
	case <-ended: // its state has the result
	case <-time.After(machine.Patience):
		_ = syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
		<-ended
	}
	s.exit = shell.ProcessState.ExitCode()
	text := must.Get(os.ReadFile(output.Name()))(s.t)
	return string(text)
}
