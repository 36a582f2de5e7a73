package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Folders without write or any permission are removed with their content. The target of a
// link in them stays. Root is refused nothing, so only another user can see this fail.
func TestRemoveAll(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	kept, folder := filepath.Join(parent, "kept"), filepath.Join(parent, "folder")
	inner := filepath.Join(folder, "read-only", "closed")
	must.Do(t, errors.Join(
		os.Mkdir(kept, 0o500), os.MkdirAll(inner, 0o700),
		os.WriteFile(filepath.Join(inner, "file"), nil, 0o400), os.Symlink(kept, filepath.Join(folder, "link")),
		os.Chmod(inner, 0), os.Chmod(filepath.Dir(inner), 0o555), os.Chmod(folder, 0o555),
	))
	must.Report(t, RemoveAll(folder))
	if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder after its removal: got %v, want that it does not exist", err)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the target of the link: got %v and %v, want it unchanged", info, err)
	}
	if err := RemoveAll(filepath.Join(parent, "missing", "folder")); err != nil {
		t.Errorf("a missing folder: got %v, want no error", err)
	}
}
