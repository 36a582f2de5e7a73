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
		"it is replaced, and reads lag": func(w *world) {
			w.apply(hcl)
			var before any
			w.behaves(trait{method: "GET", path: extensions, after: func(x *exchange) {
				if before == nil {
					before = x.answer
				}
				if len(w.asked("PUT", "/instances/*/postgres/extensions/*")) == 1 {
					x.answer = before // a replica without the deletion
				}
			}})
			w.run(hcl, "apply", "-replace="+cryptoAddress).succeeds().lacks("existed already")
			w.counts(1, "DELETE", "/instances/*/postgres/extensions/*")
			w.counts(2, "PUT", "/instances/*/postgres/extensions/*")
			w.quiet(hcl)
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
