package reports

import (
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Protection refuses a replacement that only an unknown value causes, and gives advice that
// destroys everything for nothing.
func TestAdviceThatDestroys(t *testing.T) {
	hcl := func(input, child string) string {
		return machine("") + unknownly("d", input) +
			data("hosting_instance.x",
				`name = "shop"`,
				"depends_on = [terraform_data.d, hosting_instance.a]") + child
	}
	protectedApp := resource("hosting_app.web",
		"instance_id = data.hosting_instance.x.id",
		`name = "web"`,
		`repo = "acme/web"`)
	protectedDatabase := resource("hosting_postgres_database.orders",
		"instance_id = data.hosting_instance.x.id",
		`name = "orders"`)
	advice := func(child string) func(*world) {
		return func(w *world) {
			w.apply(hcl("one", child))
			w.run(hcl("two", child), "plan").never("replace").lacks("deletion_protection = false").says("instance_id", "depends_on")
		}
	}
	script := func(sql string) string {
		return machine("") + `
resource "hosting_postgres_script" "schema" {
  instance_id = hosting_instance.a.id
  sql         = "CREATE TABLE t (id int)"
  destroy_sql = "DROP TABLE t"
  ` + sql + `
}
`
	}
	protected := func(hcl string) string { return strings.ReplaceAll(hcl, "deletion_protection = false", "") }
	const soonOver = `timeouts = { create = "1m" }`
	// failed creates an object whose job fails, and again. If the object is there after all, it is
	// protected.
	failed := func(hcl, operation string, repair func(*world)) func(*world) {
		return func(w *world) {
			if operation == "build" {
				w.fake.FailBuilds(buildMatch{}, 1, "the disk is full")
			} else {
				w.fake.FailJobs(jobMatch{Operation: operation}, 1, "trouble", "the disk is full")
			}
			w.run(hcl, "apply").fails("the disk is full")
			if repair == nil {
				w.apply(hcl)
				w.quiet(hcl)
				return
			}
			repair(w)
			address := w.tainted()
			w.run(hcl, "apply", "-refresh=false").fails("is protected", "terraform untaint")
			w.run(hcl, "apply").fails("is protected")
			w.run(hcl, "untaint", address).succeeds()
			w.apply(hcl)
			w.quiet(hcl)
			w.counts(0, "DELETE", "")
		}
	}
	// unfinished stops waiting for a creation, which then continues, and destroys without a refresh after
	// a while.
	unfinished := func(hcl string, later time.Duration) func(*world) {
		return func(w *world) {
			w.apply(hcl).warns("timeout")
			w.wait(later)
			w.run(hcl, "destroy", "-refresh=false").fails("is protected")
			w.counts(0, "DELETE", "")
		}
	}
	// withoutJob destroys a machine that never shows more than a status. Only one that is being created
	// can be known to have nothing to protect.
	withoutJob := func(status string) func(*world) outcome {
		return func(w *world) outcome {
			w.apply(protected(machine(soonOver))).warns("timeout")
			w.wait(time.Hour)
			w.behaves(answers("GET", "/jobs/*", 404, "not_found", "there is no such job"), shows(instance, "status", status), lacks(instance, "host"))
			return w.run(protected(machine(soonOver)), "destroy")
		}
	}
	inMachine := func(child string) string { return machine("") + protected(child) }
	report(t, "IBM-Cloud/terraform-provider-ibm#4046", "advice that destroys what it protects", situations{
		"app":      advice(protectedApp),
		"database": advice(protectedDatabase),
		"a tainted machine with a protected database": func(w *world) {
			hcl := machine("") + resource("hosting_postgres_database.orders", onMachine, `name = "orders"`)
			w.apply(hcl)
			w.run(hcl, "taint", machineAddress)
			w.run(hcl, "plan").fails("terraform untaint for the instance")
			w.run(hcl, "untaint", machineAddress)
			w.settled(hcl)
		},
		"a failed machine":  failed(protected(machine("")), "create", nil),
		"a failed app":      failed(inMachine(web(onMachine, "")), "build", nil),
		"a failed database": failed(inMachine(orders(onMachine, "")), "database_create", nil),
		"a failed machine that was repaired": failed(protected(machine("")), "create", func(w *world) {
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Status, i.Host = "running", "repaired.example" })
		}),
		"a failed app that was deployed": failed(inMachine(web(onMachine, "")), "build", func(w *world) {
			w.fake.EditApp(w.id(), "web", func(a *fakeservice.App) {
				a.Status, a.Builds = "running", append([]fakeservice.Build{{ID: "bld-portal", Status: "successful"}}, a.Builds...)
			})
		}),
		"a failed database that is there": failed(inMachine(orders(onMachine, "")), "database_create", func(w *world) {
			w.fake.AddDatabase(w.id(), "orders")
		}),
		"an unfinished machine":          unfinished(protected(machine(soonOver)), time.Hour),
		"an unfinished machine, at once": unfinished(protected(machine(soonOver)), 0),
		"an unfinished app":              unfinished(inMachine(web(onMachine, soonOver)), time.Hour),
		"an unfinished machine that ran and failed": func(w *world) {
			hcl := protected(machine(soonOver))
			w.apply(hcl).warns("timeout")
			w.wait(time.Hour)
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Status, i.Host = "failed", "" })
			w.run(hcl, "destroy").fails("is protected")
			w.counts(0, "DELETE", "")
		},
		"an unfinished machine whose job is gone": func(w *world) { withoutJob("creating")(w).succeeds() },
		"an unlisted status, and the job is gone": func(w *world) {
			withoutJob("active")(w).fails()
			w.counts(0, "DELETE", "")
		},
		"a script with destroy_sql is removed": func(w *world) {
			w.apply(script(""))
			w.run(machine(""), "plan").warns("destroy_sql")
		},
		"a script with destroy_sql is replaced": func(w *world) {
			w.apply(script("") + orders(onMachine, ""))
			w.run(script(`database = "orders"`)+orders(onMachine, ""), "plan").warns("destroy_sql")
		},
		"all is destroyed with the script": func(w *world) {
			w.apply(script(""))
			w.run(script(""), "destroy").succeeds().warns("destroy_sql")
		},
	})
}

// tainted returns the address of the only tainted object.
func (w *world) tainted() string {
	w.t.Helper()
	for _, address := range w.cli.State() {
		if w.cli.Tainted(address) {
			return address
		}
	}
	w.t.Fatal("nothing is tainted")
	return ""
}
