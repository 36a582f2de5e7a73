package unprivileged

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCopyTree(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, folder := range []string{"a/b", "skipped/x", "empty"} {
		if err := os.MkdirAll(filepath.Join(from, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"a/b/c": "deep", "d": "flat", "skipped/x/y": "no"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := (Account{}).CopyTree(t.Context(), from, to, func(path string) bool { return path == "skipped" }); err != nil {
		t.Fatal(err)
	}
	if size, err := SizeOf(to); err != nil || size != int64(len("deep")+len("flat")) {
		t.Errorf("the copy has %d bytes, %v", size, err)
	}
	if info, err := os.Stat(filepath.Join(to, "empty")); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		t.Errorf("the empty folder is %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(to, "skipped")); err == nil {
		t.Error("the folder to skip was copied")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Account{}).CopyTree(ended, from, filepath.Join(t.TempDir(), "x"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended it met %v", err)
	}
}
