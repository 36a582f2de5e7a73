// Package machine defines how tests behave on a machine that lacks something, and on a busy
// one. It is one rule for all tests. A test on a machine that lacks something is skipped;
// it fails if the machine is declared complete. A test on a busy machine waits.
package machine

import (
	"os"
	"testing"
)

// LacksNothing reports whether HOSTING_TEST_STRICT=1 declares that the machine has
// everything that tests need, as in CI.
func LacksNothing() bool {
	return os.Getenv("HOSTING_TEST_STRICT") == "1" //nolint:forbidigo // this package is for tests alone
}

// Lacks ends a test because the machine lacks something that the test needs.
func Lacks(t testing.TB, format string, args ...any) {
	t.Helper()
	if LacksNothing() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// NeedsRoot skips a test that only root can run, even on a complete machine: CI runs the
// tests as an ordinary user, and the packages with such tests as root, too.
func NeedsRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can do this")
	}
}
