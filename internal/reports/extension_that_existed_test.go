package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// An extension exists already, or other objects depend on it.
func TestExtensionThatExisted(t *testing.T) {
	hcl := machine("") + crypto(onMachine)
	report(t, "hashicorp/terraform-provider-postgresql#76", "an extension that existed", situations{
		"it is said": func(w *world) {
			w.apply(machine(""))
			w.fake.AddExtension(w.id(), fakeservice.Extension{Name: "pgcrypto", Database: "main", Version: "1.3"})
			w.run(hcl, "apply").says("pgcrypto")
		},
		"others depend on it": func(w *world) {
			w.apply(hcl)
			w.fake.FailJobs(jobMatch{Operation: "extension_drop"}, 1, "dependent_objects", "cannot drop pgcrypto: other objects depend on it")
			w.run(machine(""), "apply").fails("other objects depend on it")
			w.manages(cryptoAddress)
			w.apply(machine(""))
		},
	})
}
