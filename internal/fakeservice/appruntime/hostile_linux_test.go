package appruntime

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// hostile is a build, and then an app, that tries to change everything that it finds below
// the folders named by TARGETS.
const hostile = `for f in TARGETS /app/home; do ` +
	`rm -rf $f/..?* $f/* $f; mv $f $f.gone; echo spoiled > $f; echo spoiled > $f/file; ln -sf /etc/passwd $f/file; chmod -R 777 $f; done 2>/dev/null; ` +
	`ln -s / $HOME/everything; rm -rf $HOME/everything/TARGETS; true`

// No build and no app can change this machine. The folders that may not change are one with
// the same path as a folder in the sandbox, those of the fake, and the data of a
// neighbouring app.
func TestHostileBuildsChangeNothing(t *testing.T) {
	sandboxes := map[string]*process.Sandbox{"in a sandbox": sandboxHere()}
	if os.Geteuid() == 0 {
		sandboxes["as another user"] = nil
	}
	for name, sandbox := range sandboxes {
		if sandbox == nil && os.Geteuid() != 0 {
			machine.Lacks(t, "there is no bubblewrap")
		}
		t.Run(name, func(t *testing.T) {
			folder := write(t, nil)
			r := open(t, func(o *Options) { o.Sandbox, o.Repositories["octo/app"] = sandbox, folder })
			neighbour := must.Get(r.App(Name{"i-2", "neighbour"}))(t)
			temporary := machine.PassableFolder(t, "")
			targets := []string{neighbour.folder, temporary, folder, r.folder}
			for _, file := range []string{filepath.Join(neighbour.data(), "file"), filepath.Join(temporary, "file")} {
				must.Do(t, os.WriteFile(file, []byte("kept"), 0o600))
			}
			watched := append([]string{hostsFolder(t)}, targets[:3]...)
			script := strings.ReplaceAll(hostile, "TARGETS", strings.Join(targets, " "))
			must.Do(t, os.WriteFile(filepath.Join(folder, RecipeFile), fmt.Appendf(nil, `{"build": %q, "start": %q}`, script,
				script+"; echo over; sleep 1000"), 0o600))
			before := fingerprint(t, watched)
			built := build(t, r, nil)
			if after := fingerprint(t, watched); after != before {
				t.Errorf("the machine after the build: got\n%s\nwant\n%s", after, before)
			}
			a := must.Get(r.App(Name{"i-1", "web"}))(t)
			must.Get(a.Deploy(built, Spec{HealthPath: "/"}))(t)
			machine.Until(t, "the app has done its worst", func() bool { return strings.Contains(a.Log(), "over") })
			if after := fingerprint(t, watched); after != before {
				t.Errorf("the machine after the app: got\n%s\nwant\n%s", after, before)
			}
		})
	}
}

func TestHostileBuildsOfAnotherUser(t *testing.T) {
	machine.RunAsAnotherUser(t, "^TestHostileBuildsChangeNothing$")
}

// hostsFolder creates a folder on this machine at the path that a build sees as its home.
// Only root can create it.
func hostsFolder(t *testing.T) string {
	t.Helper()
	path := filepath.Join(buildPoint, "home")
	if os.Geteuid() != 0 {
		return path
	}
	if _, err := os.Stat(buildPoint); !os.IsNotExist(err) {
		machine.Lacks(t, "the folder %s of this machine is somebody's, and is not put at risk: %v", buildPoint, err)
	}
	must.Do(t, os.MkdirAll(path, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(buildPoint) })
	must.Do(t, os.WriteFile(filepath.Join(path, "kept"), nil, 0o600))
	return path
}

// fingerprint returns the content of folders: each path with its kind, permissions and
// content.
func fingerprint(t *testing.T, folders []string) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range folders {
		must.Do(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				fmt.Fprintf(&all, "%s is not there\n", path)
				return fs.SkipDir
			}
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			var content []byte
			if info.Mode().IsRegular() {
				if content, err = os.ReadFile(path); err != nil {
					return err
				}
			}
			fmt.Fprintf(&all, "%s %s %x\n", path, info.Mode(), sha256.Sum256(content))
			return nil
		}))
	}
	return all.String()
}
