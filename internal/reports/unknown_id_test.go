package reports

import "testing"

// The id of the machine comes from a data source, which Terraform reads during the apply if
// the machine changes. The id is unknown in the plan, and afterwards it is the same.
func TestUnknownID(t *testing.T) {
	const byData = "instance_id = data.hosting_instance.x.id"
	byName := data("hosting_instance.x", "name = hosting_instance.a.name")
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
			hcl := func(tag string) string { return machine("tags = [\""+tag+"\"]") + byName + child }
			w.apply(hcl("one"))
			w.run(hcl("two"), "plan").succeeds().never("replace", "delete").says("instance_id")
			w.apply(hcl("two"))
			w.settled(hcl("two"))
			w.counts(0, "DELETE", "")
		}
	}
	all["depends_on something that changes"] = func(w *world) {
		hcl := func(input string) string {
			return machine("") + resource("terraform_data.d", "input = \""+input+"\"") +
				data("hosting_instance.x",
					`name = "shop"`,
					"depends_on = [terraform_data.d, hosting_instance.a]") + web(byData, "") + orders(byData, "")
		}
		w.apply(hcl("one"))
		w.run(hcl("two"), "plan").succeeds().never("replace", "delete").says("instance_id")
		w.apply(hcl("two"))
		w.settled(hcl("two"))
		w.counts(0, "DELETE", "")
	}
	report(t, "Qovery/terraform-provider-qovery#577", "an id that is not known yet", all)
}
