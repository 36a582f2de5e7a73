package provider_test

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// acceptanceTests are those that would have run a CLI, by their names without what is
// within them.
var acceptanceTests struct {
	mu      sync.Mutex
	skipped map[string]bool
}

// noteNotRun counts a test that is skipped as nobody has asked for a CLI.
func noteNotRun(t *testing.T) {
	name, _, _ := strings.Cut(t.Name(), "/")
	acceptanceTests.mu.Lock()
	defer acceptanceTests.mu.Unlock()
	if acceptanceTests.skipped == nil {
		acceptanceTests.skipped = map[string]bool{}
	}
	acceptanceTests.skipped[name] = true
}

// notRun says how many tests were not run for that reason, and how to run them; "" if
// there is none.
func notRun() string {
	acceptanceTests.mu.Lock()
	defer acceptanceTests.mu.Unlock()
	n := len(acceptanceTests.skipped)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("NOT RUN: the tests that take a CLI, %d of those asked for. Run one with: make test-one RUN=%s\n", n, slices.Min(slices.Collect(maps.Keys(acceptanceTests.skipped))))
}

// tellNotRun tells it to the output and, since go test shows no output of a package that
// passes, to the terminal, where somebody sits at one.
func tellNotRun(output io.Writer) {
	line := notRun()
	if line == "" {
		return
	}
	_, _ = io.WriteString(output, line)
	if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		_, _ = io.WriteString(terminal, line)
		_ = terminal.Close()
	}
}
