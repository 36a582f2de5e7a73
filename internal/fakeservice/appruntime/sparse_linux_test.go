package appruntime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A copy of data has holes where the data has, so a file that is larger than the disk can
// be backed up.
func TestCopyKeepsHoles(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	content := map[int64]string{0: "first", 1<<20 - 3: "across a block", 1 << 27: "last"}
	file := must.Get(os.Create(filepath.Join(from, "sparse")))(t)
	for at, text := range content {
		must.Get(file.WriteAt([]byte(text), at))(t)
	}
	must.Do(t, file.Truncate(1<<28))
	must.Do(t, file.Close())
	for name, size := range map[string]int{"empty": 0, "small": 10, "a block": 64 << 10, "more": 64<<10 + 1} {
		must.Do(t, os.WriteFile(filepath.Join(from, name), bytes.Repeat([]byte{'x'}, size), 0o600))
	}
	if size, err := CopyData(t.Context(), from, to); err != nil || size != 1<<28+10+64<<10+64<<10+1 {
		t.Fatalf("CopyData: got %d bytes and error %v, want %d", size, err, 1<<28+10+64<<10+64<<10+1)
	}
	info := must.Get(os.Stat(filepath.Join(to, "sparse")))(t)
	if taken := info.Sys().(*syscall.Stat_t).Blocks * 512; info.Size() != 1<<28 || taken > 1<<20 {
		t.Errorf("the copy: got %d bytes with %d on the disk, want %d with at most %d", info.Size(), taken, 1<<28, 1<<20)
	}
	copied := must.Get(os.Open(filepath.Join(to, "sparse")))(t)
	defer copied.Close()
	for at, text := range content {
		found := make([]byte, len(text))
		if _, err := copied.ReadAt(found, at); err != nil || string(found) != text {
			t.Errorf("the copy at %d: got %q and error %v, want %q", at, found, err, text)
		}
	}
	for name, size := range map[string]int{"empty": 0, "small": 10, "a block": 64 << 10, "more": 64<<10 + 1} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || !bytes.Equal(text, bytes.Repeat([]byte{'x'}, size)) {
			t.Errorf("%s: got %d bytes and error %v, want %d times x", name, len(text), err, size)
		}
	}
}

// Holes are not even read, so an app's file of many terabytes does not keep its machine
// busy.
func TestCopyOfAHugeFile(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	const size, middle = 1 << 42, 1 << 41
	file := must.Get(os.Create(filepath.Join(from, "huge")))(t)
	must.Get(file.WriteAt([]byte("middle"), middle))(t)
	must.Do(t, errors.Join(file.Truncate(size), file.Close()))
	if copied, err := CopyData(t.Context(), from, to); err != nil || copied != size {
		t.Fatalf("CopyData: got %d bytes and error %v, want %d", copied, err, int64(size))
	}
	file = must.Get(os.Open(filepath.Join(to, "huge")))(t)
	defer file.Close()
	found := make([]byte, len("middle"))
	if _, err := file.ReadAt(found, middle); err != nil || string(found) != "middle" {
		t.Errorf("the middle of the copy: got %q and error %v, want middle", found, err)
	}
	if info, err := file.Stat(); err != nil || info.Size() != size {
		t.Errorf("the copy: got %v and error %v, want %d bytes", info, err, int64(size))
	}
}

// The copy of a file ends with its context.
func TestCopyThatIsEnded(t *testing.T) {
	t.Parallel()
	folder := write(t, map[string]string{"file": "text"})
	from := must.Get(os.Open(filepath.Join(folder, "file")))(t)
	defer from.Close()
	to := must.Get(os.Create(filepath.Join(folder, "copy")))(t)
	defer to.Close()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := copySparse(ended, to, from); !errors.Is(err, context.Canceled) {
		t.Errorf("copySparse: got error %v, want context.Canceled", err)
	}
}
