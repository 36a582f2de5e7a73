package fakeservicetest

import (
	"os"
	"testing"
)

// Lacks ends a test on a machine without what it needs: it is skipped, and fails where
// HOSTING_TEST_STRICT=1 says that everything is there, as in CI.
func Lacks(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("HOSTING_TEST_STRICT") == "1" { //nolint:forbidigo // this package is for tests alone
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
