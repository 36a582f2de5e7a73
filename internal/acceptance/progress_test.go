package acceptance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

// progressOf returns the lines of a file.
func progressOf(t *testing.T, path string) (lines []progress.Line) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := progress.Read(t.Context(), file, false, func(l progress.Line) { lines = append(lines, l) }); err != nil {
		t.Fatal(err)
	}
	return lines
}

// endings returns the ends of the jobs and builds in a file, in order.
func endings(lines []progress.Line) (ends []string) {
	for _, l := range lines {
		if l.Ended() {
			ends = append(ends, strings.Join([]string{l.Type, l.Name, l.Operation, l.Status}, " "))
		}
	}
	return ends
}

// The file has each job and build of an apply. The values of variables are hidden in the log
// of a failed build.
func TestProgress(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = {}, apps = {} }`)+`
resource "hosting_app" "web" {
  instance_id       = hosting_instance.test.id
  name              = "web"
  repo              = "octo/web"
  port              = 3000
  env               = { TOKEN = "canary-of-the-app" }
}
`)
	path := filepath.Join(t.TempDir(), "progress")
	w.env = append(w.env, progress.Variable+"="+path)
	fake.FailBuilds(fakeservice.BuildMatch{}, 1, "step 7\nerror: canary-of-the-app is refused")
	w.fails("refused")
	lines := progressOf(t, path)
	want := []string{"hosting_instance test create done", "hosting_app web app_import done", "hosting_app web build failed"}
	if got := endings(lines); !slices.Equal(got, want) {
		t.Errorf("ends: got %q, want %q", got, want)
	}
	last := lines[len(lines)-1]
	if last.Log != "error: (secret) is refused" || last.ID != onlyInstance(t, fake)+"/web" {
		t.Errorf("the last line: got %+v, want the log without the variable", last)
	}
	text, err := os.ReadFile(path)
	must(t, err == nil && !strings.Contains(string(text), "canary"), "the file: got %s (%v), want it without the secret", text, err)
}

// Neither a missing folder, a full disk nor a pipe whose reader has gone fails an apply.
func TestProgressThatCannotBeWritten(t *testing.T) {
	fake := startFake(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/*", Times: -1, Before: func() { _ = reader.Close() }})
	w := newWorkspace(t, fake, "")
	env := w.env
	for _, row := range []struct {
		name, path string
		warns      bool
	}{
		{"gone", pipe, false}, // during the wait
		{"no-reader", pipe, false},
		{"full", "/dev/full", false},
		{"folder", t.TempDir(), true},
		{"missing", "/missing/folder/file", true},
	} {
		w.env = append(slices.Clone(env), progress.Variable+"="+row.path)
		w.configure(strings.Replace(instanceHCL(`engines = { postgres = {} }`), `= "test"`, `= "`+row.name+`"`, 1))
		if r := w.apply(); strings.Contains(r.output, "The progress of applies is not written") != row.warns {
			t.Errorf("%s: got a warning: %t, want %t:\n%s", row.name, !row.warns, row.warns, r.output)
		}
	}
}
