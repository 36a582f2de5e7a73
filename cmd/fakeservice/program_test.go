package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built is the program, built once for all tests.
var built struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.folder != "" {
		_ = os.RemoveAll(built.folder)
	}
	os.Exit(code)
}

// builtProgram is the path of the program.
func builtProgram(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "fakeservice"); built.err != nil {
			return
		}
		if said, err := exec.Command("go", "build", "-o", filepath.Join(built.folder, "fakeservice"), ".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("go build: %w\n%s", err, said)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.folder, "fakeservice")
}

// runFake runs the program in this process until the test ends, at a free port.
func runFake(t *testing.T, errs io.Writer, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	fake := &running{key: rand.Text()}
	go func() {
		err := run(ctx, append([]string{"--listen", ":0", "--api-key", fake.key}, args...), writer, errs)
		_ = writer.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the program ended with %v", err)
		}
	})
	out := bufio.NewReader(reader)
	first, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, fake.base, _ = strings.Cut(strings.TrimSpace(first), " at ")
	return fake
}
