// Package machine says what becomes of tests on a machine without what they need. It is
// one rule for all: such a test is skipped, and fails where the machine is said to lack
// nothing.
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
