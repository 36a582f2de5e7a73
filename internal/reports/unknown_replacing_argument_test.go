package reports

import "testing"

// Other arguments that replace are unknown in the plan as well.
func TestUnknownReplacingArgument(t *testing.T) {
	const known = "lower(terraform_data.u.output)"
	region := func(value string) string {
		return `
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "free"
  region              = ` + value + `
  engines             = { postgres = {}, apps = {} }
  deletion_protection = false
}
`
	}
	app := func(name, repo string) string {
		return machine("") + `
resource "hosting_app" "web" {
  instance_id         = hosting_instance.a.id
  name                = ` + name + `
  repo                = ` + repo + `
  deletion_protection = false
}
`
	}
	database := func(name string) string {
		return machine("") + `
resource "hosting_postgres_database" "orders" {
  instance_id         = hosting_instance.a.id
  name                = ` + name + `
  deletion_protection = false
}
`
	}
	extension := machine("") + orders(onMachine, "") + `
resource "hosting_postgres_extension" "crypto" {
  instance_id = hosting_instance.a.id
  database    = ` + known + `
  name        = "pgcrypto"
  depends_on  = [hosting_postgres_database.orders]
}
`
	same := func(hcl, before, after string) func(*world) {
		return func(w *world) {
			w.apply(hcl + unknownly("u", before))
			w.run(hcl+unknownly("u", after), "plan").succeeds().never("replace", "delete")
			w.apply(hcl + unknownly("u", after))
			w.settled(hcl + unknownly("u", after))
			w.counts(0, "DELETE", "")
		}
	}
	report(t, "hashicorp/terraform#26383", "a replacing argument that is not known yet", situations{
		"region, the same in the end":        same(region(known), "EU-CENTRAL", "eu-central"),
		"name of an app, the same":           same(app(known, `"acme/web"`), "WEB", "web"),
		"repo, the same":                     same(app(`"web"`, known), "ACME/WEB", "acme/web"),
		"name of a database, the same":       same(database(known), "ORDERS", "orders"),
		"database of an extension, the same": same(extension, "ORDERS", "orders"),
		"region, another in the end": func(w *world) {
			w.apply(region(known) + unknownly("u", "eu-central"))
			w.run(region(known)+unknownly("u", "eu-north"), "apply").fails(w.changed("eu-central", "eu-north")...)
			w.counts(0, "DELETE", "")
			w.manages(machineAddress)
		},
		"name of a database, another in the end": func(w *world) {
			w.apply(database(known) + unknownly("u", "orders"))
			w.run(database(known)+unknownly("u", "invoices"), "apply").fails(w.changed("orders", "invoices")...)
			w.counts(0, "DELETE", "")
			w.manages(ordersAddress)
		},
		"the machine is replaced": func(w *world) {
			hcl := func(place string) string { return region(`"`+place+`"`) + web(onMachine, "") }
			w.apply(hcl("eu-central"))
			w.apply(hcl("eu-north")).never("update")
			w.settled(hcl("eu-north"))
			w.be(len(w.fake.Instances()) == 1 && len(w.fake.Apps(w.id())) == 1, "the machine and its app were not made again")
		},
	})
}

// changed returns the texts of the error about a value that turns out to be another one. OpenTofu
// does not say that it plans again, and refuses the replacement itself (DESIGN.md).
func (w *world) changed(was, is string) []string {
	if w.isTofu() {
		return []string{"inconsistent final plan"}
	}
	return []string{was, is, "plan again"}
}
