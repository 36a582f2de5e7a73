//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Ctrl-C ends the program while it waits for a writer, and while the writer is silent.
func TestInterruptedOnAPipe(t *testing.T) {
	t.Parallel()
	for name, hasWriter := range map[string]bool{"no writer": false, "a silent writer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			shown, out := io.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- run(ctx, []string{path}, nil, out, io.Discard, false) }()
			if hasWriter {
				writer, err := os.OpenFile(path, os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer writer.Close()
				if _, err := writer.WriteString(`{"operation":"create","status":"running"}` + "\n"); err != nil {
					t.Fatal(err)
				}
				if _, err := shown.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			cancel()
			go func() { _, _ = io.Copy(io.Discard, shown) }()
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(machine.Patience):
				t.Fatal("the program did not end")
			}
		})
	}
}

// Without --follow, a name that was mistyped is an error, and makes no file.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing")
	if err := run(t.Context(), []string{"--follow=false", path}, nil, io.Discard, io.Discard, false); err == nil {
		t.Error("got no error, want one")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file: got it created, want it missing")
	}
}
