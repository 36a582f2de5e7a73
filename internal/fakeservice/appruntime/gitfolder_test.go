//go:build unix

package appruntime

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A stranger's archive can contain any files of git. None of them leads a build to another
// repository of the same user, which a relative path is enough to name. A clone of such a
// repository, which the error advises, is built.
func TestRepositoryThatLeadsOut(t *testing.T) {
	t.Parallel()
	put := func(path, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	for name, plant := range map[string]func(git, private, secret string) error{
		"a file .git": func(git, private, _ string) error {
			return errors.Join(os.RemoveAll(git), put(git, "gitdir: ../"+private+"/.git\n"))
		},
		"a file .git that names another worktree": func(git, private, _ string) error {
			tree := filepath.Join(t.TempDir(), "tree")
			said, err := exec.Command("git", "-C", filepath.Dir(git)+"/../"+private, "worktree", "add", "-q", "-b", "other", tree).CombinedOutput()
			return errors.Join(err, errors.New(string(said)), os.RemoveAll(git), put(git, "gitdir: ../"+private+"/.git/worktrees/tree\n"))
		},
		"a file .git that names a forged worktree": func(git, private, _ string) error {
			entry := filepath.Dir(git) + "/records/worktrees/x/"
			return errors.Join(os.RemoveAll(git), put(git, "gitdir: records/worktrees/x\n"), put(entry+"gitdir", "../../../.git\n"),
				put(entry+"commondir", "../../../../"+private+"/.git\n"), put(entry+"HEAD", "ref: refs/heads/main\n"))
		},
		"a file .git that names a link to a worktree": func(git, private, _ string) error {
			entry := filepath.Dir(git) + "/wt/"
			return errors.Join(os.RemoveAll(git), put(git, "gitdir: ../"+private+"/.git/worktrees/x\n"), put(entry+"gitdir", "../.git\n"),
				put(entry+"commondir", "../../"+private+"/.git\n"), put(entry+"HEAD", "ref: refs/heads/main\n"),
				os.Mkdir(filepath.Dir(git)+"/../"+private+"/.git/worktrees", 0o755),
				os.Symlink(entry, filepath.Dir(git)+"/../"+private+"/.git/worktrees/x"))
		},
		"a link .git": func(git, private, _ string) error {
			return errors.Join(os.RemoveAll(git), os.Symlink("../"+private+"/.git", git))
		},
		"an empty .git, and a neighbour that git would try": func(git, private, _ string) error {
			folder := filepath.Dir(git)
			return errors.Join(os.RemoveAll(git), os.Mkdir(git, 0o755), os.Symlink(private, folder+".git"))
		},
		"a common folder": func(git, private, _ string) error {
			return put(git+"/commondir", "../../"+private+"/.git\n")
		},
		"other objects": func(git, private, secret string) error {
			return errors.Join(put(git+"/objects/info/alternates", "../../../"+private+"/.git/objects\n"), put(git+"/refs/heads/main", secret+"\n"))
		},
		"a link to objects": func(git, private, secret string) error {
			return errors.Join(os.RemoveAll(git+"/objects"), os.Symlink("../../"+private+"/.git/objects", git+"/objects"), put(git+"/refs/heads/main", secret+"\n"))
		},
		"a link to a pack's folder": func(git, private, secret string) error {
			return errors.Join(os.RemoveAll(git+"/objects/pack"), os.Symlink("../../../"+private+"/.git/objects/pack", git+"/objects/pack"),
				put(git+"/refs/heads/main", secret+"\n"))
		},
		"an included file": func(git, private, _ string) error {
			return put(git+"/config", "[core]\n\tbare = false\n[Include]\n\tpath = ../../"+private+"/version\n")
		},
		"a file that is included on a condition": func(git, private, _ string) error {
			return put(git+"/config", "[core]\n\tbare = false\n[includeIf \"gitdir:/\"]\n\tpath = ../../"+private+"/version\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			private, commit := gitRepository(t)
			secret := commit("secret")
			if said, err := exec.Command("git", "-C", private, "repack", "-qad").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			folder, commit := gitRepository(t)
			commit("public")
			must.Do(t, os.Symlink(private, filepath.Join(filepath.Dir(folder), "private")))
			if err := plant(filepath.Join(folder, ".git"), "private", secret); err != nil && err.Error() != "" {
				t.Fatal(err)
			}
			for _, location := range []string{folder, "file://" + folder} {
				mustBuild(t, location, "", "could not be fetched")
			}
			if os.Geteuid() == 0 {
				giveAway(t, folder)
				mustBuild(t, folder, "", "could not be fetched")
			}
		})
	}
}

func TestRepositoryThatLeadsOutAsAnotherUser(t *testing.T) {
	t.Parallel()
	machine.RunAsAnotherUser(t, "^TestRepositoryThatLeadsOut$")
}

// The error of a clone that shares the objects of another repository advises a plain clone
// of it, and that clone is built.
func TestCloneOfRepositoryThatLeadsOut(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	want := commit("one")
	parent := machine.PassableFolder(t, "")
	shared, plain := filepath.Join(parent, "shared"), filepath.Join(parent, "plain")
	for _, words := range [][]string{{"--shared", folder, shared}, {"file://" + shared, plain}} {
		if said, err := exec.Command("git", append([]string{"clone", "-q"}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	mustBuild(t, shared, "", "objects/info/alternates leads git out of the repository. Use a plain clone of it")
	mustBuild(t, plain, want, "")
}
