package appruntime

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// limitedSandbox returns a sandbox with low limits.
func limitedSandbox(t *testing.T) *process.Sandbox {
	t.Helper()
	sandbox := sandboxHere()
	if sandbox == nil {
		machine.Lacks(t, "there is no bubblewrap")
	}
	limited := *sandbox
	limited.Limits = process.Limits{Memory: 200 << 20, Processes: 100}
	return &limited
}

// A bomb ends its build or its app, and the log says why.
func TestBombs(t *testing.T) {
	sandbox := limitedSandbox(t)
	for bomb, want := range map[string]string{
		"f() { f | f & }; f; sleep 1000": "it used more than 100 processes",
		"tail /dev/zero":                 "it used more than 200 MB of memory",
	} {
		folder := write(t, nil)
		recipe := func(build, start string) {
			text := fmt.Appendf(nil, `{"build": %q, "start": %q}`, build, start)
			must.Do(t, os.WriteFile(filepath.Join(folder, RecipeFile), text, 0o644))
		}
		r := open(t, func(o *Options) { o.Sandbox, o.Repositories["octo/app"] = sandbox, folder })
		recipe(bomb, "true")
		_, err := r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog())
		failed := (*BuildError)(nil)
		if !errors.As(err, &failed) || !strings.HasSuffix(failed.Log, "The build failed: "+want) {
			t.Errorf("the build of %s: got error %v, want %q at its end", bomb, err, want)
		}
		recipe("", bomb)
		a := must.Get(r.App(Name{"i-1", "web"}))(t)
		must.Get(a.Deploy(build(t, r, nil), Spec{HealthPath: "/"}))(t)
		machine.Until(t, "the app's log says "+want, func() bool { return strings.Contains(a.Log(), "the app has ended: "+want) }, a.Log)
	}
}

func TestBombsAsAnotherUser(t *testing.T) {
	machine.RunAsAnotherUser(t, "^TestBombs$")
}
