package program

import (
	"os"
	"sync"
	"testing"
)

// SharedFolder is a folder that the tests of a package share, for example for programs
// that take a while to build. The zero value is ready to use.
type SharedFolder struct {
	once sync.Once
	path string
	err  error
}

// Path returns the path of the folder. The first call creates the folder and calls fill.
// Programs that run as other users may pass through it.
func (f *SharedFolder) Path(t testing.TB, fill func(folder string) error) string {
	t.Helper()
	f.once.Do(func() {
		if f.path, f.err = os.MkdirTemp("", "hosting-programs"); f.err != nil {
			return
		}
		if f.err = os.Chmod(f.path, 0o755); f.err == nil { //nolint:gosec // it holds no secret
			f.err = fill(f.path)
		}
	})
	if f.err != nil {
		t.Fatal(f.err)
	}
	return f.path
}

// Run runs the tests of a package, removes the folder and returns the exit code for
// TestMain.
func (f *SharedFolder) Run(m *testing.M) int {
	code := m.Run()
	if f.path != "" {
		_ = os.RemoveAll(f.path)
	}
	return code
}
