//go:build unix

package engineaccount

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestCopyTree(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, folder := range []string{"a/b", "skipped/x", "empty"} {
		must.Do(t, os.MkdirAll(filepath.Join(from, folder), 0o700))
	}
	for name, text := range map[string]string{"a/b/c": "deep", "d": "flat", "skipped/x/y": "no"} {
		must.Do(t, os.WriteFile(filepath.Join(from, name), []byte(text), 0o600))
	}
	must.Do(t, (Account{}).CopyTree(t.Context(), from, to, func(path string) bool { return path == "skipped" }))
	if size, err := SizeOf(to); err != nil || size != int64(len("deep")+len("flat")) {
		t.Errorf("the size of the copy: got %d and error %v, want %d", size, err, len("deep")+len("flat"))
	}
	if info, err := os.Stat(filepath.Join(to, "empty")); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("the empty folder: got %v and error %v, want a folder with mode 0700", info, err)
	}
	if _, err := os.Stat(filepath.Join(to, "skipped")); err == nil {
		t.Error("the folder to skip was copied")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Account{}).CopyTree(ended, from, filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("CopyTree with a context that has ended: got error %v, want %v", err, context.Canceled)
	}
}

// WriteFile replaces a link that a program has put in the place of the file. The target of
// the link stays as it is.
func TestWriteFileFollowsNoLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, path := filepath.Join(folder, "target"), filepath.Join(folder, "file")
	must.Do(t, errors.Join(os.WriteFile(target, []byte("untouched"), 0o600), os.Symlink(target, path)))
	must.Do(t, (Account{}).WriteFile(path, "new"))
	for name, want := range map[string]string{target: "untouched", path: "new"} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q and %v, want %q", filepath.Base(name), got, err, want)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("the folder: got %v and %v, want two files", entries, err)
	}
}

// CopyFile does not follow a link that a program has put in the place of the file.
func TestCopyFileFollowsNoLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	secret, path, to := filepath.Join(t.TempDir(), "secret"), filepath.Join(folder, "file"), filepath.Join(folder, "copy")
	must.Do(t, errors.Join(os.WriteFile(secret, []byte("secret"), 0o600), os.Symlink(secret, path)))
	if err := (Account{}).CopyFile(path, to); err == nil {
		t.Error("CopyFile of a link: got no error, want one")
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("the target of CopyFile of a link: got a copy, want none")
	}
}

// CopyTree copies no link and no pipe, and follows none out of the two folders.
func TestCopyTreeFollowsNoLink(t *testing.T) {
	t.Parallel()
	outside, from, to := t.TempDir(), t.TempDir(), t.TempDir()
	must.Do(t, errors.Join(
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600),
		os.Symlink(outside, filepath.Join(from, "folder")),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(from, "file")),
		syscall.Mkfifo(filepath.Join(from, "pipe"), 0o600),
		os.WriteFile(filepath.Join(from, "written"), []byte("broken"), 0o600),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(to, "written")),
	))
	if err := (Account{}).CopyTree(t.Context(), from, to, nil); err == nil {
		t.Error("a link in place of a copy: got no error, want one")
	}
	if text, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(text) != "secret" {
		t.Errorf("the file outside: got %q and %v, want it unchanged", text, err)
	}
	must.Do(t, os.Remove(filepath.Join(to, "written")))
	must.Do(t, (Account{}).CopyTree(t.Context(), from, to, nil))
	if entries, err := os.ReadDir(to); err != nil || len(entries) != 1 {
		t.Errorf("the copy: got %v and %v, want one file", entries, err)
	}
}
