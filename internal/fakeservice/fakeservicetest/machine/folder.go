package machine

import (
	"os"
	"testing"
)

// PassableFolder returns a temporary folder of a test that every user can pass through. It
// is below the parent; "" means the system's folder for temporary files. T.TempDir is
// closed to the users as whom engines, apps and builds run.
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
