//go:build unix

package progress_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A pipe without a reader is not an error, and nothing waits for one.
func TestPipeWithoutReader(t *testing.T) {
	t.Parallel()
	if f := open(t, pipe(t)); f != nil {
		t.Errorf("Open: got %v, want nil", f)
	}
}

// A reader that goes away, or that does not read, stops no writer.
func TestPipeWhoseReaderGoesAway(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	f.Append(progress.Line{Operation: "create", Status: "running"})
	ctx, stop := context.WithCancel(t.Context())
	if err := progress.Read(ctx, reader, true, func(l progress.Line) { stop() }); err != nil {
		t.Fatal(err)
	}
	for range 5000 { // more than a pipe holds
		f.Append(progress.Line{Operation: "create", Status: "running"})
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	f.Append(progress.Line{Operation: "create", Status: "done"})

	again, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	f.Append(progress.Line{Operation: "create", Status: "done"})
}

// A full disk stops no writer.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("the system has no /dev/full")
	}
	f := open(t, "/dev/full")
	for range 3 {
		f.Append(progress.Line{Operation: "create", Status: "running"})
	}
}
