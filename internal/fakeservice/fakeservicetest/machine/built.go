package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// Built returns the path of something that make puts into .bin of the repository. It need
// not exist.
func Built(t testing.TB, name string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "GNUmakefile")); err == nil {
			return filepath.Join(folder, ".bin", name)
		}
	}
	t.Fatal("this test does not run in the repository")
	return ""
}
