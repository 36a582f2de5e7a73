//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// shell runs a script to its end and returns its output.
func shell(t *testing.T, script string, change ...func(*Spec)) (string, error) {
	t.Helper()
	said := NewTail(64 << 10)
	spec := Spec{Command: []string{"sh", "-c", script}, Folder: "/", Output: said}
	for _, set := range change {
		set(&spec)
	}
	err := Run(t.Context(), spec)
	return strings.TrimSpace(said.String()), err
}

func TestProgramGetsWhatItIsGiven(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CALLER", "told")
	folder := t.TempDir()
	must.Do(t, os.Chmod(folder, 0o755))
	said, err := shell(t, "cat; echo; echo $A; pwd; env | grep -c SECRET", func(s *Spec) {
		s.Input, s.Environment, s.Folder = strings.NewReader("input"), []string{"A=b", "PATH=" + os.Getenv("PATH")}, folder
	})
	if want := "input\nb\n" + folder + "\n0"; said != want {
		t.Errorf("the output: got %q and error %v, want %q", said, err, want)
	}
	if said, _ := shell(t, "export"); strings.Contains(said, "SECRET") {
		t.Errorf("the environment of a program without one: got %s, want no SECRET", said)
	}
}

func TestProgramsThatDoNotWork(t *testing.T) {
	t.Parallel()
	if _, err := Start(Spec{Command: []string{"there-is-no-such-program"}, Folder: "/"}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("Start of a missing program: got error %v, want exec.ErrNotFound", err)
	}
	if _, err := Start(Spec{Command: []string{"sh"}, Folder: filepath.Join(t.TempDir(), "nowhere")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Start in a missing folder: got error %v, want os.ErrNotExist", err)
	}
	_, err := shell(t, "exit 7")
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) || ended.ExitCode() != 7 {
		t.Errorf("the end of a program: got error %v, want exit status 7", err)
	}
}

// A program that ignores the request to end is killed.
func TestStop(t *testing.T) {
	t.Parallel()
	for script, patience := range map[string]time.Duration{
		"trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done": machine.Patience,
		"trap '' TERM; echo ready; while :; do sleep 0.01; done":       50 * time.Millisecond,
	} {
		said := NewTail(100)
		p := must.Get(Start(Spec{Command: []string{"sh", "-c", script}, Folder: "/", Output: said, Contained: true,
			Environment: []string{"PATH=" + os.Getenv("PATH")}}))(t)
		machine.Until(t, "it is ready", func() bool { return strings.Contains(said.String(), "ready") })
		p.Stop(patience, syscall.SIGTERM)
		if how, killed := p.How(), patience < time.Second; strings.Contains(how, "killed") != killed {
			t.Errorf("the end of %q: got %q, want it killed: %t", script, how, killed)
		}
		p.Signal(os.Kill) // no effect after the end
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	tail := NewTail(10)
	for _, row := range [][2]string{{"one\n", "one\n"}, {"two\n", "one\ntwo\n"}, {"three\n", "three\n"}, {"\xff", "\uFFFD"}} {
		must.Get(tail.Write([]byte(row[0])))(t)
		if got := tail.String(); !strings.HasSuffix(got, row[1]) {
			t.Errorf("the tail after %q: got %q, want %q", row[0], got, row[1])
		}
	}
	if diff := cmp.Diff(10, len(tail.text)); diff != "" {
		t.Errorf("the length of the tail (-want +got):\n%s", diff)
	}
}
