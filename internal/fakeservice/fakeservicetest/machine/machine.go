// Package machine says what becomes of tests on a machine without what they need, and on
// one that is busy. It is one rule for all: the first are skipped, and fail where the
// machine is said to lack nothing; the others wait.
package machine

import (
	"os"
	"testing"
)

// LacksNothing tells whether HOSTING_TEST_STRICT=1 says that all that tests need is
// there, as in CI.
func LacksNothing() bool {
	return os.Getenv("HOSTING_TEST_STRICT") == "1" //nolint:forbidigo // this package is for tests alone
}

// Lacks ends a test on a machine without what it needs.
func Lacks(t testing.TB, format string, args ...any) {
	t.Helper()
	if LacksNothing() {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// NeedsRoot skips a test that only root can run. Who runs the tests is no lack of the
// machine: CI runs them as its own user, and those of the fake as root, too.
func NeedsRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can do this")
	}
}
