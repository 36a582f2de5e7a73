package process

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// viewOf is a view with a folder that is changed, one that is only read, one
// whose changes are kept elsewhere, and one that is hidden.
func viewOf(t *testing.T) (v *View, folder string) {
	t.Helper()
	machine.NeedsRoot(t)
	if !CanContain() {
		machine.Lacks(t, "root may give no program a view of its own here")
	}
	folder = t.TempDir()
	for _, part := range []string{"top", "own", "read", "lower", "changes/upper", "changes/work", "hidden"} {
		if err := os.MkdirAll(filepath.Join(folder, part), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, part, "file"), []byte(part), 0o644); err != nil && !strings.HasPrefix(part, "changes") {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"top", filepath.Join("changes", "upper"), filepath.Join("changes", "work")} {
		if err := os.Remove(filepath.Join(folder, part, "file")); err != nil {
			t.Fatal(err)
		}
	}
	return &View{Root: filepath.Join(folder, "top"), Hidden: []string{filepath.Join(folder, "hidden"), filepath.Join(folder, "hidden/inside")}, Mounts: []Mount{
		{Point: "/own", Folder: filepath.Join(folder, "own")},
		{Point: "/read", Folder: filepath.Join(folder, "read"), ReadOnly: true},
		{Point: "/layers", Folder: filepath.Join(folder, "lower"), Changes: filepath.Join(folder, "changes")},
	}}, folder
}

func TestView(t *testing.T) {
	t.Parallel()
	v, folder := viewOf(t)
	said, err := shell(t, fmt.Sprintf(`cat /own/file /read/file /layers/file; echo
		for f in /own /read /layers; do echo new > $f/file && echo $f; done 2>/dev/null
		ls -A %s/hidden; echo $$; ls /proc | grep -c '^[0-9]'; grep NoNewPrivs /proc/self/status`, folder),
		func(s *Spec) { s.View, s.Contained = v, true })
	if err != nil {
		t.Fatalf("%s\n%s", err, said)
	}
	lines := strings.Split(said, "\n")
	if got, want := strings.Join(lines[:4], " "), "ownreadlower /own /layers 1"; got != want {
		t.Errorf("it said %q, want %q", got, want)
	}
	if last := lines[len(lines)-1]; last != "NoNewPrivs:\t1" {
		t.Errorf("it can gain rights: %s", last)
	}
	for name, want := range map[string]string{"own/file": "new\n", "read/file": "read", "lower/file": "lower", "changes/upper/file": "new\n"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q (%v), want %q", name, text, err, want)
		}
	}
}

// Who runs as another user sees no process of others, so no command line either.
func TestProcessesOfOthers(t *testing.T) {
	t.Parallel()
	v, _ := viewOf(t)
	said, err := shell(t, "ls -d /proc/[0-9]*; cat /proc/"+fmt.Sprint(os.Getpid())+"/cmdline 2>&1", func(s *Spec) {
		s.View, s.Contained, s.User = v, true, User{UID: 61183, GID: 61183}
	})
	if strings.Contains(said, "/proc/1\n") || strings.Contains(said, os.Args[0]) || !strings.Contains(said, "No such file") {
		t.Errorf("it sees (%v)\n%s", err, said)
	}
}

// usage is what this process holds.
type usage struct{ threads, descriptors, goroutines, namespaces int }

func (u usage) String() string {
	return fmt.Sprintf("%d threads, %d descriptors, %d goroutines, %d mount namespaces", u.threads, u.descriptors, u.goroutines, u.namespaces)
}

func usageNow(t *testing.T) usage {
	t.Helper()
	count := func(pattern string) []string {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		return found
	}
	namespaces := map[string]bool{}
	for _, thread := range count("/proc/self/task/*") {
		if at, err := os.Readlink(filepath.Join(thread, "ns", "mnt")); err == nil {
			namespaces[at] = true
		}
	}
	return usage{len(count("/proc/self/task/*")), len(count("/proc/self/fd/*")), runtime.NumGoroutine(), len(namespaces)}
}

// Starts leave nothing behind in this process, not even those that fail. It runs
// alone, as it counts what belongs to the whole process.
func TestStartsLeaveNothing(t *testing.T) {
	v, _ := viewOf(t)
	broken := &View{Root: v.Root, Mounts: []Mount{{Point: "/nowhere", Folder: "/there/is/none"}}}
	start := func() {
		if said, err := shell(t, ":", func(s *Spec) { s.View, s.Contained = v, true }); err != nil {
			t.Fatalf("%s\n%s", err, said)
		}
		if _, err := Start(Spec{Command: []string{"sh"}, Folder: "/", View: broken}); err == nil {
			t.Fatal("a view of nothing was put together")
		}
	}
	for range 20 {
		start() // the runtime makes the threads that it works with
	}
	before := usageNow(t)
	const starts = 60
	for range starts {
		start()
	}
	var after usage
	machine.Until(t, "the goroutines of what was started have ended", func() bool {
		after = usageNow(t)
		return after.goroutines <= before.goroutines
	}, func() string {
		return fmt.Sprintf("before there were %s; after %d starts there are %s", before, 2*starts, after)
	})
	t.Logf("before %s; after %d starts %s", before, 2*starts, after)
	if after.threads > before.threads+5 || after.descriptors > before.descriptors || after.namespaces > 1 {
		t.Errorf("before there were %s; after %d starts there are %s", before, 2*starts, after)
	}
}
