//go:build linux

package workdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A kept folder has one owner at a time, and stays with its content.
func TestKeep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "kept")
	f := must.Get(Keep(path))(t)
	if _, err := Keep(path); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), path) {
		t.Errorf("Keep by a second owner: got error %v, want %v with %s", err, ErrInUse, path)
	}
	must.Do(t, WriteFile(filepath.Join(path, "file"), []byte("text")))
	// A program that is starting has all open files, for a moment.
	started := must.Get(syscall.Dup(int(f.lock.Fd())))(t)
	defer syscall.Close(started)
	for range 2 {
		must.Do(t, f.Release())
	}
	again := must.Get(Keep(path))(t)
	defer again.Release()
	if text, err := os.ReadFile(filepath.Join(path, "file")); string(text) != "text" {
		t.Errorf("the file: got %q and error %v, want \"text\"", text, err)
	}
}

// Processes in the folders of a killed owner have ended once the next owner has them.
// Processes elsewhere continue, including those in the kept folder itself.
func TestKeepEndsWhatIsLeft(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(path, "work"), 0o700))
	begin := func(folder string) *exec.Cmd {
		c := exec.Command("sleep", "1000")
		c.Dir = folder
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		must.Do(t, c.Start())
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	begin(filepath.Join(path, "work"))
	begin(path)
	f := must.Get(Keep(path, "work", "nothing"))(t)
	defer f.Release()
	if n := len(workersIn(t, filepath.Join(path, "work"))); n != 0 {
		t.Errorf("processes in the folder: got %d, want none", n)
	}
	if n := len(workersIn(t, path)); n != 1 {
		t.Errorf("processes outside the folder: got %d, want 1", n)
	}
}

// A process in a sandbox works in the folder under a different path.
func TestKeepEndsWhatRunsInASandbox(t *testing.T) {
	t.Parallel()
	sandbox, err := process.FindSandbox(t.Context(), os.Getenv("PATH"))
	if err != nil {
		machine.Lacks(t, "%v", err)
	}
	path := t.TempDir()
	for _, folder := range []string{"work/data", "beside"} {
		must.Do(t, os.MkdirAll(filepath.Join(path, folder), 0o755))
	}
	begin := func(folder string) *process.Process {
		said := process.NewTail(100)
		p := must.Get(process.Start(process.Spec{
			Command: []string{"sh", "-c", "echo ready; sleep 1000"}, Output: said, Folder: "/data", Sandbox: sandbox, User: process.User{UID: 61183, GID: 61183},
			Mounts: []process.Mount{{Point: "/data", Source: filepath.Join(path, folder)}},
		}))(t)
		t.Cleanup(func() { p.Stop(0) })
		machine.Until(t, "it runs", func() bool { return strings.Contains(said.String(), "ready") })
		return p
	}
	inside, beside := begin("work/data"), begin("beside")
	f := must.Get(Keep(path, "work"))(t)
	defer f.Release()
	select {
	case <-inside.Ended():
	case <-time.After(machine.Patience):
		t.Error("the process that sees the folder did not end")
	}
	select {
	case <-beside.Ended():
		t.Error("the process that sees a different folder was ended")
	default:
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	for _, gone := range []string{"folder", "nothing", filepath.Join("no", "folder")} {
		if gone == "folder" {
			must.Do(t, os.MkdirAll(filepath.Join(path, gone, "deep"), 0o700))
		}
		if err := Discard(filepath.Join(path, gone)); err != nil {
			t.Errorf("Discard of %s: %s", gone, err)
		}
	}
	// An owner was killed in the middle of a removal.
	must.Do(t, os.MkdirAll(filepath.Join(path, discarded+"1", "it"), 0o700))
	must.Report(t, Sweep(path))
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 0 {
		t.Errorf("entries after the sweep: got %v and error %v, want none", entries, err)
	}
}
