package program

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSharedFolder(t *testing.T) {
	var shared SharedFolder
	filled := 0
	fill := func(folder string) error {
		filled++
		return os.WriteFile(filepath.Join(folder, "built"), nil, 0o600)
	}
	folder := shared.Path(t, fill)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if again := shared.Path(t, fill); again != folder || filled != 1 {
		t.Errorf("the folder: got %s, then %s, filled %d times, want the same, filled once", folder, again, filled)
	}
	if _, err := os.Stat(filepath.Join(folder, "built")); err != nil {
		t.Error(err)
	}
}

// If the folder cannot be filled, each test that needs it fails, not only the first.
func TestSharedFolderThatCannotBeFilled(t *testing.T) {
	var shared SharedFolder
	t.Cleanup(func() { _ = os.RemoveAll(shared.path) })
	for range 2 {
		failing := &failed{TB: t}
		shared.Path(failing, func(string) error { return errors.New("the program does not compile") })
		if !failing.fatal {
			t.Error("Path after a failed fill: got no fatal failure, want one")
		}
	}
}

// failed records that a test has failed.
type failed struct {
	testing.TB
	fatal bool
}

func (f *failed) Fatal(...any) { f.fatal = true }
