package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A database cannot be dropped while somebody is connected to it.
func TestDatabaseInUse(t *testing.T) {
	hcl := machine("") + orders(onMachine, "")
	const inUse = `database "orders" is being accessed by other users`
	report(t, "cyrilgdn/terraform-provider-postgresql#14", "a database in use", situations{
		"the job fails": func(w *world) {
			w.apply(hcl)
			w.fake.FailJobs(fakeservice.JobMatch{Operation: "database_drop"}, 1, "in_use", inUse)
			w.run(machine(""), "apply").fails("is being accessed by other users")
			w.manages(ordersAddress)
			w.settled(hcl)
			w.apply(machine(""))
			w.be(len(w.fake.Databases(w.id())) == 1, "databases: got %v, want its own", w.fake.Databases(w.id()))
		},
		"it is refused with 409": func(w *world) {
			w.apply(hcl)
			w.behaves(answersNext(3, "DELETE", "/instances/*/postgres/databases/*", 409, "in_use", inUse))
			o := w.run(machine(""), "apply")
			if o.Exit == 1 {
				o.fails("is being accessed by other users")
				w.manages(ordersAddress)
			}
			w.apply(machine(""))
		},
		"always, and the instance goes": func(w *world) {
			w.apply(hcl)
			w.fake.FailJobs(fakeservice.JobMatch{Operation: "database_drop"}, -1, "in_use", inUse)
			w.run(hcl, "destroy").fails("is being accessed by other users")
			w.manages(ordersAddress, machineAddress)
		},
	})
}
