package machine

import (
	"os"
	"testing"
)

// PassableFolder is a folder of a test's own below a parent, "" being the system's for
// temporary files, that every user can pass through. T.TempDir is closed to the users as
// whom engines, apps and builds run.
func PassableFolder(t testing.TB, parent string) string {
	t.Helper()
	folder, err := os.MkdirTemp(parent, "fake")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}
