package acceptance

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

// acceptanceTests are the names of the skipped tests that need a CLI, without subtests.
var acceptanceTests struct {
	mu      sync.Mutex
	skipped map[string]bool
}

// noteNotRun counts a test that is skipped because the run requested no CLI.
func noteNotRun(t *testing.T) {
	name, _, _ := strings.Cut(t.Name(), "/")
	acceptanceTests.mu.Lock()
	defer acceptanceTests.mu.Unlock()
	if acceptanceTests.skipped == nil {
		acceptanceTests.skipped = map[string]bool{}
	}
	acceptanceTests.skipped[name] = true
}

// notRun returns the number of these tests, and how to run them; "" if there are none.
func notRun() string {
	acceptanceTests.mu.Lock()
	defer acceptanceTests.mu.Unlock()
	n := len(acceptanceTests.skipped)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("NOT RUN: the tests that take a CLI, %d of those asked for. Run one with: make test-one RUN=%s\n", n, slices.Min(slices.Collect(maps.Keys(acceptanceTests.skipped))))
}

// tellNotRun prints the result of notRun to the output. It also prints it to the
// terminal, if there is one, because go test hides the output of a package that passes.
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
