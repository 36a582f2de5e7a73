package acceptance

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// destroysAll runs a destroy that must leave only the seeded objects.
func (w *workspace) destroysAll(fake *fakeservicetest.Server) {
	w.t.Helper()
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(w.t, r.exit == 0, "the destroy ended with exit %d:\n%s", r.exit, r.output)
	instances := fake.Instances()
	must(w.t, len(instances) == 1 && instances[0].ID == "i-one" && len(fake.Webhooks()) == 0, "%d instances and %d endpoints are left", len(instances), len(fake.Webhooks()))
}
