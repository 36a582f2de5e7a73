//go:build linux

package workdir

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// asOwner makes this test's program the owner of a folder. It prints its path, leaves a
// process in it and waits to be killed.
const asOwner = "SCRATCH_OWNER_IN"

func TestMain(m *testing.M) {
	if parent := os.Getenv(asOwner); parent != "" {
		own(parent)
	}
	os.Exit(m.Run())
}

func own(parent string) {
	f, err := Make(parent, "own-")
	if err != nil {
		panic(err)
	}
	left := exec.Command("sleep", "1000")
	left.Dir = f.Path()
	if err := left.Start(); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(f.Path() + "\n")
	time.Sleep(time.Hour) // it is killed before that
}

// The folders and processes of a killed owner are removed when the next folder is created.
// Those of a running owner stay, and so do unrelated ones.
func TestSweep(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	owner := func() (*exec.Cmd, string) {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), asOwner+"="+parent)
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		out := must.Get(command.StdoutPipe())(t)
		must.Do(t, command.Start())
		path := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
		return command, path[:len(path)-1]
	}
	killed, dead := owner()
	living, kept := owner()
	t.Cleanup(func() {
		_ = living.Process.Kill()
		_ = living.Wait()
		endProcessesIn(kept)
	})
	worker := workersIn(t, dead)
	if len(worker) != 1 || len(workersIn(t, kept)) != 1 {
		t.Fatalf("the processes in %s: got %v, want one there and one in %s", dead, worker, kept)
	}
	for _, stranger := range []string{"other-1", "own"} {
		must.Do(t, os.Mkdir(filepath.Join(parent, stranger), 0o755))
	}
	must.Do(t, os.Symlink(kept, filepath.Join(parent, "own-link")))
	must.Do(t, killed.Process.Kill())
	_ = killed.Wait() // it was killed
	must.Get(os.Stat(dead))(t)

	mine := must.Get(Make(parent, "own-"))(t)
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the folder of the killed owner: got error %v, want that it does not exist", err)
	}
	machine.Until(t, "what the killed owner has started has ended", func() bool { return len(workersIn(t, dead+" (deleted)")) == 0 })
	for _, stays := range []string{kept, mine.Path(), filepath.Join(parent, "other-1"), filepath.Join(parent, "own"), filepath.Join(parent, "own-link")} {
		if _, err := os.Lstat(stays); err != nil {
			t.Errorf("%s: got error %v, want it kept", stays, err)
		}
	}
	if len(workersIn(t, kept)) != 1 {
		t.Error("the process that the running owner started was ended")
	}
	for range 2 {
		must.Report(t, mine.Remove())
	}
	if _, err := os.Stat(mine.Path()); !os.IsNotExist(err) {
		t.Errorf("the removed folder: got error %v, want that it does not exist", err)
	}
}

// workersIn returns the processes that work in a folder.
func workersIn(t *testing.T, folder string) []string {
	t.Helper()
	found := must.Get(filepath.Glob("/proc/[0-9]*/cwd"))(t)
	var in []string
	for _, process := range found {
		if at, err := os.Readlink(process); err == nil && at == folder {
			in = append(in, process)
		}
	}
	return in
}

func TestFolderCannotBeMade(t *testing.T) {
	t.Parallel()
	if _, err := Make(filepath.Join(t.TempDir(), "nowhere"), "own-"); err == nil {
		t.Error("Make in a missing folder: got no error, want one")
	}
}

// Only root's programs run as other users, so nobody else may enter the folders of another
// user: an app's data can hold a program with the set-user-ID bit.
func TestFoldersAreClosedToOtherUsers(t *testing.T) {
	t.Parallel()
	want := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		want = 0o711
	}
	made := must.Get(Make(t.TempDir(), "own-"))(t)
	defer made.Remove()
	path := t.TempDir()
	must.Do(t, os.Chmod(path, 0o755))
	kept := must.Get(Keep(path))(t)
	defer kept.Release()
	for _, folder := range []string{made.Path(), path} {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != want {
			t.Errorf("the mode of %s: got %v and error %v, want %v", folder, info, err, want)
		}
	}
}

func TestFoldersOfAnotherUserAreClosed(t *testing.T) {
	t.Parallel()
	machine.RunAsAnotherUser(t, "^TestFoldersAreClosedToOtherUsers$")
}
