package reports

import (
	"strings"
	"testing"
)

// Two objects swap their names, or one takes the name of another that is destroyed in the
// same apply. No deletion hits the object that has the name now.
func TestSwappedNames(t *testing.T) {
	large := strings.NewReplacer(`"free"`, `"medium"`, "apps = {}", "apps = { memory_mb = 1024 }").Replace(machine(""))
	apps := func(a, b string) string {
		one := func(address, name string) string {
			if name == "" {
				return ""
			}
			return resource("hosting_app."+address, onMachine, `name = "`+name+`"`, `repo = "acme/`+address+`"`, "deletion_protection = false")
		}
		return large + one("a", a) + one("b", b)
	}
	databases := func(a, b string) string {
		one := func(address, name string) string {
			if name == "" {
				return ""
			}
			return resource("hosting_postgres_database."+address, onMachine, `name = "`+name+`"`, "deletion_protection = false")
		}
		return large + one("a", a) + one("b", b)
	}
	firstly := func(hcl string) string {
		return strings.ReplaceAll(hcl, "deletion_protection = false\n}", "deletion_protection = false\n  lifecycle {\n    create_before_destroy = true\n  }\n}")
	}
	change := func(before, after string, there func(*world) int, want int) func(*world) {
		return func(w *world) {
			w.free("medium")
			w.apply(before)
			for range 3 {
				if w.run(after, "apply").Exit == 0 {
					break
				}
			}
			w.settled(after)
			w.be(there(w) == want && len(w.cli.State()) == want+1, "objects: %d at the service, %v in the state", there(w), w.cli.State())
		}
	}
	ofApps := func(w *world) int { return len(w.fake.Apps(w.id())) }
	ofDatabases := func(w *world) int { return len(w.fake.Databases(w.id())) - 1 } // without the machine's own
	report(t, "juju/terraform-provider-juju#329", "names that are swapped", situations{
		"apps":                       change(apps("web", "shop"), apps("shop", "web"), ofApps, 2),
		"an app takes a name":        change(apps("web", "shop"), apps("shop", ""), ofApps, 1),
		"databases":                  change(databases("one", "two"), databases("two", "one"), ofDatabases, 2),
		"a database takes a name":    change(databases("one", "two"), databases("two", ""), ofDatabases, 1),
		"an app takes a name, first": change(firstly(apps("web", "shop")), firstly(apps("shop", "")), ofApps, 1),
		"a database takes it, first": change(firstly(databases("one", "two")), firstly(databases("two", "")), ofDatabases, 1),
	})
}
