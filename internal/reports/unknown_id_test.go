package reports

import "testing"

// The id of the machine comes from a data source, which Terraform reads during the apply if
// the machine changes. The id is unknown in the plan, and afterwards it is the same.
func TestUnknownID(t *testing.T) {
	const byData = "instance_id = data.hosting_instance.x.id"
	const data = "\ndata \"hosting_instance\" \"x\" {\n  name = hosting_instance.a.name\n}\n"
	const script = `
resource "hosting_postgres_script" "schema" {
  instance_id = data.hosting_instance.x.id
  sql         = "CREATE TABLE t (id int)"
  destroy_sql = "DROP TABLE t"
}
`
	const console = `
resource "hosting_console_mode" "console" {
  instance_id = data.hosting_instance.x.id
  mode        = "ro"
}
`
	const settings = `
resource "hosting_auth_settings" "auth" {
  instance_id = data.hosting_instance.x.id
  site_url    = "https://shop.example.com"
}
`
	const walls = `
resource "hosting_allowlist" "list" {
  instance_id = data.hosting_instance.x.id
  cidrs       = ["203.0.113.0/24"]
}
`
	below := map[string]string{
		"app": web(byData, ""), "database": orders(byData, ""), "extension": crypto(byData), "script": script,
		"console mode": console, "auth settings": settings, "allowlist": walls,
	}
	all := situations{}
	for name, child := range below {
		all["a tag changes, with a "+name] = func(w *world) {
			hcl := func(tag string) string { return machine("tags = [\""+tag+"\"]") + data + child }
			w.apply(hcl("one"))
			w.run(hcl("two"), "plan").succeeds().never("replace", "delete").says("instance_id")
			w.apply(hcl("two"))
			w.settled(hcl("two"))
			w.counts(0, "DELETE", "")
		}
	}
	all["depends_on something that changes"] = func(w *world) {
		hcl := func(input string) string {
			return machine("") + "\nresource \"terraform_data\" \"d\" {\n  input = \"" + input + "\"\n}\n" +
				"\ndata \"hosting_instance\" \"x\" {\n  name = \"shop\"\n  depends_on = [terraform_data.d, hosting_instance.a]\n}\n" + web(byData, "") + orders(byData, "")
		}
		w.apply(hcl("one"))
		w.run(hcl("two"), "plan").succeeds().never("replace", "delete").says("instance_id")
		w.apply(hcl("two"))
		w.settled(hcl("two"))
		w.counts(0, "DELETE", "")
	}
	report(t, "Qovery/terraform-provider-qovery#577", "an id that is not known yet", all)
}

// unknownly returns a block whose output has a value that is not known in the plan in which
// its case changes.
func unknownly(name, input string) string {
	return "\nresource \"terraform_data\" \"" + name + "\" {\n  input = \"" + input + "\"\n}\n"
}

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
			w.run(region(known)+unknownly("u", "eu-north"), "apply").fails("eu-central", "eu-north", "plan again")
			w.counts(0, "DELETE", "")
			w.manages(machineAddress)
		},
		"name of a database, another in the end": func(w *world) {
			w.apply(database(known) + unknownly("u", "orders"))
			w.run(database(known)+unknownly("u", "invoices"), "apply").fails("orders", "invoices", "plan again")
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

// Protection refuses a replacement that only an unknown value causes, and gives advice that
// destroys everything for nothing.
func TestAdviceThatDestroys(t *testing.T) {
	const byData = "instance_id = data.hosting_instance.x.id"
	hcl := func(input, child string) string {
		return machine("") + unknownly("d", input) +
			"\ndata \"hosting_instance\" \"x\" {\n  name = \"shop\"\n  depends_on = [terraform_data.d, hosting_instance.a]\n}\n" + child
	}
	protectedApp := "\nresource \"hosting_app\" \"web\" {\n  instance_id = data.hosting_instance.x.id\n  name = \"web\"\n  repo = \"acme/web\"\n}\n"
	protectedDatabase := "\nresource \"hosting_postgres_database\" \"orders\" {\n  instance_id = data.hosting_instance.x.id\n  name = \"orders\"\n}\n"
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
	report(t, "IBM-Cloud/terraform-provider-ibm#4046", "advice that destroys what it protects", situations{
		"app":      advice(protectedApp),
		"database": advice(protectedDatabase),
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
