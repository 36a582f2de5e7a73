package fakeservicetest

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
)

// WithDataPlane adds a data plane to the fake, so that the instances that it provisions
// really run. The test fails if PostgreSQL is not installed; without redis-server or what
// runs CouchDB, that engine is only a record.
func WithDataPlane(t testing.TB, opts ...func(*dataplane.Options)) func(*fakeservice.Options) {
	t.Helper()
	binaries, err := postgres.Locate(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	server, err := redis.Locate(t.Context())
	if missing := (*redis.MissingError)(nil); err != nil && !errors.As(err, &missing) {
		t.Fatal(err)
	}
	documents, err := couchdb.Locate(t.Context(), machine.Built(t, "couchdb"))
	if missing := (*couchdb.MissingError)(nil); err != nil && !errors.As(err, &missing) {
		t.Fatal(err)
	}
	options := dataplane.Options{
		Postgres: binaries, Redis: server, CouchDB: documents, StateFolder: FastFolder(),
		// Programs in shared memory often cannot be executed.
		AppsFolder: os.TempDir(), Environment: os.Environ(), Go: GoCaches(t), //nolint:forbidigo // this package is for tests alone
		// With the race detector, one hash at the default cost takes a second.
		HashCost: bcrypt.MinCost,
	}
	for _, set := range opts {
		set(&options)
	}
	plane, err := dataplane.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *fakeservice.Options) {
		o.DataPlane = plane
		o.NewDataPlane = func() (fakeservice.DataPlane, error) { return dataplane.New(options) }
	}
}
