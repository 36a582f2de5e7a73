//go:build unix

package appruntime

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// stranger is the id of a user who owns a repository.
const stranger = 61181

// giveAway makes the stranger the owner of a folder and everything in it, and lets them pass
// to it.
func giveAway(t *testing.T, folder string) {
	t.Helper()
	must.Do(t, os.Chmod(filepath.Dir(folder), 0o755))
	must.Do(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, stranger, stranger))
	}))
}

// A repository of another user is read as that user. Otherwise it is built like any other.
func TestRepositoryOfAnotherUser(t *testing.T) {
	t.Parallel()
	machine.NeedsRoot(t)
	for name, row := range map[string]struct {
		change func(folder string) error // of a repository that already belongs to the other user
		want   string                    // the reason why it is not built, or ""
	}{
		"plain": {func(string) error { return nil }, ""},
		"bare": {func(folder string) error {
			if err := os.Rename(filepath.Join(folder, ".git"), folder+".git"); err != nil {
				return err
			}
			return errors.Join(os.RemoveAll(folder), os.Rename(folder+".git", folder))
		}, ""},
		"it has what only root can read": {func(folder string) error {
			objects := filepath.Join(folder, ".git", "objects")
			return errors.Join(os.Lchown(objects, 0, 0), os.Chmod(objects, 0o700))
		}, "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, commit := gitRepository(t)
			public := commit("public")
			giveAway(t, folder)
			must.Do(t, row.change(folder))
			for _, location := range []string{folder, "file://" + folder} {
				mustBuild(t, location, public, row.want)
			}
		})
	}
}

// mustBuild builds main of a repository. The build has a commit, or fails for a reason. The
// log has no secret.
func mustBuild(t *testing.T, location, commit, reason string) {
	t.Helper()
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = location })
	log := NewBuildLog()
	b, err := r.Build(t.Context(), "octo/app", "main", nil, log)
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the build's log of %s: got %s, want no secret", location, log)
	}
	if err == nil {
		if reason != "" || b.Commit != commit {
			t.Errorf("%s: got the commit %s, want %s and error %q", location, b.Commit, commit, reason)
		}
		must.Report(t, b.Discard())
		return
	}
	if reason == "" || !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: got error %v, want %q", location, err, reason)
	}
	if left := glob(t, r, "build-*"); len(left) > 0 {
		t.Errorf("%s: got files %v of the build, want none", location, left)
	}
}

// A linked worktree is built if its user can read its repository.
func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	want := commit("one")
	tree := filepath.Join(machine.PassableFolder(t, ""), "tree")
	if said, err := exec.Command("git", "-C", folder, "worktree", "add", "-q", "-b", "other", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	mustBuild(t, tree, want, "")
	if os.Geteuid() != 0 {
		return
	}
	giveAway(t, folder)
	giveAway(t, tree)
	mustBuild(t, tree, want, "")
	git := filepath.Join(folder, ".git")
	must.Do(t, errors.Join(os.Lchown(git, 0, 0), os.Chmod(git, 0o700)))
	mustBuild(t, tree, want, "could not be fetched")
}

func TestLinkedWorktreeAsAnotherUser(t *testing.T) {
	t.Parallel()
	machine.RunAsAnotherUser(t, "^TestLinkedWorktree$")
}
