package reports

import (
	"strings"
	"testing"
)

// The destruction that a replacement begins with fails. The object stays in the state, with
// its identity, and later runs read it.
func TestIdentityAfterAFailedDestroy(t *testing.T) {
	fails := func(before, after, path, address string) func(*world) {
		return func(w *world) {
			w.apply(before)
			remove := w.behaves(answers("DELETE", path, 422, "validation_failed", "it is in use"))
			w.run(after, "apply").fails("it is in use")
			w.manages(address)
			w.settled(before)
			w.run(after, "plan", "-refresh=false").succeeds()
			w.run(after, "apply", "-refresh=false").fails("it is in use")
			w.settled(before)
			remove()
			w.apply(after)
			w.quiet(after)
		}
	}
	inDatabase := func(database string) string {
		return machine("") + orders(onMachine, "") +
			crypto(onMachine+"\n  database = "+database+"\n  depends_on = [hosting_postgres_database.orders]")
	}
	with := func(block, old, replacement string) (before, after string) {
		return machine("") + block, machine("") + strings.Replace(block, old, replacement, 1)
	}
	region := strings.Replace(machine(""), "eu-central", "eu-north", 1)
	repo, otherRepo := with(web(onMachine, ""), "acme/web", "acme/shop")
	name, otherName := with(orders(onMachine, ""), `= "orders"`, `= "invoices"`)
	report(t, "juju/terraform-provider-juju#1071", "an identity after a failed destroy", situations{
		"instance":  fails(machine(""), region, instance, machineAddress),
		"app":       fails(repo, otherRepo, app, webAddress),
		"database":  fails(name, otherName, "/instances/*/postgres/databases/*", ordersAddress),
		"extension": fails(inDatabase("null"), inDatabase(`"orders"`), "/instances/*/postgres/extensions/*", cryptoAddress),
	})
}
