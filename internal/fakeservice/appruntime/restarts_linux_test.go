package appruntime

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// usage counts the resources of this process, and the mount namespaces of it and its
// descendants.
type usage struct{ threads, descriptors, goroutines, namespaces int }

func usageNow(t *testing.T) usage {
	t.Helper()
	count := func(folder string) int {
		entries := must.Get(os.ReadDir(folder))(t)
		return len(entries)
	}
	// Only this process and its descendants count, because other programs share the
	// machine.
	namespaces := map[string]bool{}
	look := func(pattern string) {
		found := must.Get(filepath.Glob(pattern))(t)
		for _, at := range found {
			if name, err := os.Readlink(at); err == nil {
				namespaces[name] = true
			}
		}
	}
	look("/proc/self/task/*/ns/mnt")
	for _, p := range processes.Below(t, os.Getpid()) {
		look(fmt.Sprintf("/proc/%d/ns/mnt", p.ID))
	}
	return usage{count("/proc/self/task"), count("/proc/self/fd"), runtime.NumGoroutine(), len(namespaces)}
}

func (u usage) String() string {
	return fmt.Sprintf("%d threads, %d descriptors, %d goroutines, %d mount namespaces", u.threads, u.descriptors, u.goroutines, u.namespaces)
}

// Restarts of an app do not increase the resources of this process. The test does not run
// in parallel, because it counts those of the whole process.
func TestRestartsLeaveNothing(t *testing.T) {
	tier.Night.Only(t)
	folder := write(t, map[string]string{"hosting.json": `{"start": "echo here; sleep 1000"}`})
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	must.Get(a.Deploy(build(t, r, nil), Spec{HealthPath: "/"}))(t)
	restart := func() {
		starts := a.Starts()
		must.Do(t, a.Restart(a.spec))
		machine.Until(t, "the app was started again", func() bool { return a.Starts() > starts })
	}
	for range 5 {
		restart() // the runtime creates the threads that it needs
	}
	before := usageNow(t)
	const restarts = 25
	for range restarts {
		restart()
	}
	after := usageNow(t)
	machine.Until(t, "what has ended is let go of", func() bool {
		after = usageNow(t)
		return after.goroutines <= before.goroutines && after.descriptors <= before.descriptors
	})
	t.Logf("before %s; after %d restarts %s", before, restarts, after)
	most := 1
	if sandboxHere() != nil {
		most = 2 // one more for the app
	}
	if after.threads > before.threads+5 || after.namespaces > most {
		t.Errorf("after %d restarts: got %s, want at most %d namespaces and 5 more threads than before: %s", restarts, after, most, before)
	}
}

// A build does not run as root, and gets nothing of the caller's: neither variables nor a
// way to change Go's caches.
func TestWhatABuildMay(t *testing.T) {
	t.Parallel()
	script := `id -u; echo key=$HOSTING_API_KEY; echo mine=$MINE; echo home > $HOME/x && echo wrote; ` +
		`go env GOPROXY GOCACHE; touch /modules/x && echo spoiled; ls -A FOLDER; cat /proc/PID/environ; true`
	folder := write(t, nil)
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	script = strings.NewReplacer("FOLDER", r.folder, "/PID", fmt.Sprintf("/%d", os.Getpid())).Replace(script)
	must.Do(t, os.WriteFile(filepath.Join(folder, RecipeFile), fmt.Appendf(nil, `{"build": %q, "start": "true"}`, script), 0o600))
	log := NewBuildLog()
	built := must.Get(r.Build(t.Context(), "octo/app", "main", map[string]string{"MINE": "yes"}, log))(t)
	if left := glob(t, r, filepath.Base(built.folder)+"/home"); len(left) > 0 {
		t.Errorf("the build's home: got %v, want none", left)
	}
	said := log.String()
	t.Log(said)
	contains(t, said, "key=\n", "mine=yes\n", "wrote\n")
	if sandboxHere() == nil {
		return
	}
	contains(t, said, "file:///modules", "/go-build\n", "Read-only file system", fmt.Sprintf("/proc/%d/environ: No such file", os.Getpid()))
	lacks(t, said, "\n0\n", "\nspoiled", "build-1")
}
