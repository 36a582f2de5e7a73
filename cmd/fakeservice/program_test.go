package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
)

// built is a folder with the program.
var built program.SharedFolder

func TestMain(m *testing.M) { os.Exit(built.Run(m)) }

// builtProgram returns the path of the program.
func builtProgram(t *testing.T) string {
	t.Helper()
	tier.Change.Only(t)
	folder := built.Path(t, func(folder string) error {
		return program.Build(filepath.Join(folder, "fakeservice"), "cmd/fakeservice")
	})
	return filepath.Join(folder, "fakeservice")
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
			t.Errorf("the end of the program: got %v, want no error", err)
		}
	})
	out := bufio.NewReader(reader)
	first := must.Get(out.ReadString('\n'))(t)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, fake.base, _ = strings.Cut(strings.TrimSpace(first), " at ")
	return fake
}
