package fakeservicetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
)

// goCaches asks Go once for all tests.
var goCaches = sync.OnceValues(func() (appruntime.GoCaches, error) {
	return appruntime.FindGoCaches(context.Background(), os.Environ()) //nolint:forbidigo // this package is for tests alone
})

// GoCaches returns the Go caches of the user who runs the tests, so that builds of apps
// download nothing and compile little.
func GoCaches(t testing.TB) appruntime.GoCaches {
	t.Helper()
	caches, err := goCaches()
	if err != nil {
		t.Fatal(err)
	}
	return caches
}
