package appruntime

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// closeData fills a folder with files and folders that not even their owner may read, and
// closes the folder itself.
func closeData(t *testing.T, folder string) {
	t.Helper()
	inner := filepath.Join(folder, "outer", "inner")
	must.Do(t, errors.Join(
		os.MkdirAll(inner, 0o700), os.WriteFile(filepath.Join(inner, "closed"), []byte("text"), 0), os.WriteFile(filepath.Join(folder, "shared"), nil, 0o600),
		os.Chmod(filepath.Join(folder, "shared"), 0o666), os.Chmod(inner, 0), os.Chmod(filepath.Dir(inner), 0o600), os.Chmod(folder, 0),
	))
}

// An app may take all permissions from its files. They are measured, copied, restored and
// removed like others.
func TestDataThatIsClosedToItsOwner(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	closeData(t, a.data())
	if size, err := folderSize(t.Context(), a.data(), 1<<20); err != nil || size != 4 {
		t.Errorf("the size of the data: got %d and %v, want 4", size, err)
	}
	must.Do(t, a.EraseData())
	closeData(t, a.data())
	saved := t.TempDir()
	if size, err := a.SaveData(t.Context(), saved); err != nil || size != 4 {
		t.Fatalf("the copy of the data: got %d bytes and %v, want 4", size, err)
	}
	must.Do(t, os.Chmod(a.data(), 0))
	must.Do(t, a.RestoreData(t.Context(), saved))
	if text, err := os.ReadFile(filepath.Join(a.data(), "outer", "inner", "closed")); err != nil || string(text) != "text" {
		t.Errorf("the restored file: got %q and %v, want text", text, err)
	}
	if info, err := os.Stat(filepath.Join(a.data(), "shared")); err != nil || info.Mode() != 0o666 {
		t.Errorf("the restored mode: got %v and %v, want -rw-rw-rw-", info, err)
	}
}

// Root is refused nothing, so only another user sees what a closed file refuses.
func TestDataThatIsClosedAsAnotherUser(t *testing.T) {
	t.Parallel()
	machine.RunAsAnotherUser(t, "^TestDataThatIsClosedToItsOwner$")
}
