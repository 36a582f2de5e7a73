package reports

import "testing"

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
