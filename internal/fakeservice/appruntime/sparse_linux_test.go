package appruntime

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A copy of data has holes where the data has, so a file that is larger than the disk can
// be backed up.
func TestCopyKeepsHoles(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	content := map[int64]string{0: "first", 1<<20 - 3: "across a block", 1 << 27: "last"}
	file, err := os.Create(filepath.Join(from, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	for at, text := range content {
		if _, err := file.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Truncate(1 << 28); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"empty": 0, "small": 10, "a block": 64 << 10, "more": 64<<10 + 1} {
		if err := os.WriteFile(filepath.Join(from, name), bytes.Repeat([]byte{'x'}, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if size, err := CopyData(from, to); err != nil || size != 1<<28+10+64<<10+64<<10+1 {
		t.Fatalf("%d bytes were copied, %v", size, err)
	}
	info, err := os.Stat(filepath.Join(to, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if taken := info.Sys().(*syscall.Stat_t).Blocks * 512; info.Size() != 1<<28 || taken > 1<<20 {
		t.Errorf("the copy has %d bytes and takes %d of the disk", info.Size(), taken)
	}
	copied, err := os.Open(filepath.Join(to, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	for at, text := range content {
		found := make([]byte, len(text))
		if _, err := copied.ReadAt(found, at); err != nil || string(found) != text {
			t.Errorf("at %d there is %q (%v)", at, found, err)
		}
	}
	for name, size := range map[string]int{"empty": 0, "small": 10, "a block": 64 << 10, "more": 64<<10 + 1} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || !bytes.Equal(text, bytes.Repeat([]byte{'x'}, size)) {
			t.Errorf("%s has %d bytes (%v)", name, len(text), err)
		}
	}
}
