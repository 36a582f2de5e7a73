//go:build unix

package appruntime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An app owns its build's folder. A link that it puts there must not make this program,
// which sometimes is root, write to the link's target.
func TestLinksLeadNoWriteAway(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	must.Do(t, os.WriteFile(victim, []byte("untouched"), 0o600))
	start := fmt.Sprintf(`{"start": "for f in box-ca.pem ../box-ca.pem; do rm -f $f; ln -s %s $f; done; echo linked; sleep 1000"}`, victim)
	folder := write(t, map[string]string{"hosting.json": start})
	r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	spec := Spec{HealthPath: "/", Database: "postgresql://owner@127.0.0.1/main", CA: "one CA"}
	must.Get(a.Deploy(build(t, r, nil), spec))(t)
	machine.Until(t, "the app has made its links", func() bool { return strings.Contains(a.Log(), "linked") })
	spec.CA = "another CA"
	must.Do(t, a.Restart(spec))
	if text, err := os.ReadFile(victim); err != nil || string(text) != "untouched" {
		t.Errorf("the link's target: got %q and error %v, want it untouched", text, err)
	}
	if os.Geteuid() == 0 {
		info, err := os.Stat(a.trust())
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 || info.Mode().Perm() != 0o755 {
			t.Errorf("the folder of the CA: got %v and error %v, want it owned by root with mode 0755", info, err)
		}
	}
}

// A file may have become a link or a pipe by the time it is read.
func TestFileThatBecomesSomethingElse(t *testing.T) {
	t.Parallel()
	folder, copied := t.TempDir(), t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(secret, []byte("secret"), 0o600))
	must.Do(t, os.Symlink(secret, filepath.Join(folder, "link")))
	must.Do(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	must.Do(t, os.Symlink(filepath.Dir(secret), filepath.Join(folder, "folder")))
	source := must.Get(os.OpenRoot(folder))(t)
	defer source.Close()
	target := must.Get(os.OpenRoot(copied))(t)
	defer target.Close()
	for _, name := range []string{"link", "folder/secret"} {
		if n, err := copyContent(t.Context(), source, target, name, 0o600); err == nil || n > 0 {
			t.Errorf("the copy of %s: got %d bytes and error %v, want an error and no bytes", name, n, err)
		}
	}
	if n, err := copyContent(t.Context(), source, target, "pipe", 0o600); err != nil || n > 0 {
		t.Errorf("the copy of the pipe: got %d bytes and error %v, want neither", n, err)
	}
	// Unchanged links are copied as links and not followed.
	if n, err := CopyData(t.Context(), folder, copied); err != nil || n > 0 {
		t.Errorf("CopyData: got %d bytes and error %v, want neither", n, err)
	}
	if to, err := os.Readlink(filepath.Join(copied, "link")); err != nil || to != secret {
		t.Errorf("the target of the copied link: got %q and error %v, want %q", to, err, secret)
	}
}
