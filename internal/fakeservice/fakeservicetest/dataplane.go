package fakeservicetest

import (
	"os"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
)

// WithDataPlane gives the fake a data plane, so that what it provisions runs.
// The test fails where PostgreSQL is not installed.
func WithDataPlane(t testing.TB, opts ...func(*dataplane.Options)) func(*fakeservice.Options) {
	t.Helper()
	binaries, err := postgres.Locate(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	options := dataplane.Options{
		Postgres: binaries, StateFolder: FastFolder(),
		// Shared memory often forbids to run what lies in it.
		AppsFolder: os.TempDir(), Environment: os.Environ(), Go: GoCaches(t), //nolint:forbidigo // this package is for tests alone
	}
	for _, set := range opts {
		set(&options)
	}
	plane, err := dataplane.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *fakeservice.Options) { o.DataPlane = plane }
}
