package acceptance

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// hosts returns a fake with two instances, one with apps and auth, and one with neither.
func hosts(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := seeded(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-bare", Name: "bare", Plan: "free", Region: "us-west",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
	return fake
}
