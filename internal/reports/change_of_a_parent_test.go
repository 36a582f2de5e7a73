package reports

import (
	"strings"
	"testing"
)

// A machine changes in place. Its apps and databases stay as they are: no computed value of the machine
// becomes unknown without a need, and nothing on it is replaced or built again.
func TestChangeOfAParent(t *testing.T) {
	child := web(onMachine, `env = { AUTH = hosting_instance.a.auth_url, KEY = hosting_instance.a.auth_anon_key }`) + orders(onMachine, "") +
		crypto(onMachine) + list(`["203.0.113.0/24"]`) + resource("hosting_console_mode.c", onMachine, `mode = "ro"`) +
		resource("hosting_auth_settings.s", onMachine, `site_url = "https://shop.example.com"`) +
		resource("hosting_postgres_script.schema", onMachine, `sql = "CREATE TABLE t (id int)"`, `destroy_sql = "DROP TABLE t"`)
	of := func(old, replacement string) string { return strings.Replace(machine(""), old, replacement, 1) + child }
	all := situations{}
	for name, after := range map[string]string{
		"name":       of(`"shop"`, `"store"`),
		"plan":       of(`"free"`, `"medium"`),
		"budget":     of("postgres = {}", "postgres = { memory_mb = 600 }"),
		"an engine":  of("postgres = {}", "postgres = {}, redis = {}"),
		"protection": of("deletion_protection = false", "deletion_protection = true"),
		"tags":       machine(`tags = ["a"]`) + child,
		"timeouts":   machine(`timeouts = { update = "1h" }`) + child,
	} {
		all[name] = func(w *world) {
			w.free("medium")
			before := machine("") + child
			w.apply(before)
			builds := w.builds()
			w.run(after, "plan").changes(map[string]string{machineAddress: "update"})
			w.apply(after)
			w.be(w.builds() == builds, "builds: got %d, want %d", w.builds(), builds)
			w.counts(0, "DELETE", "")
			w.settled(after)
		}
	}
	for name, c := range map[string]struct{ child, engine string }{
		"no engine for a database":     {orders(onMachine, ""), "postgres"},
		"no engine for an extension":   {crypto(onMachine), "postgres"},
		"no engine for a script":       {resource("hosting_postgres_script.schema", onMachine, `sql = "CREATE TABLE t (id int)"`), "postgres"},
		"no engine for a console mode": {resource("hosting_console_mode.c", onMachine, `mode = "ro"`), "postgres"},
		"no engine for auth settings":  {resource("hosting_auth_settings.s", onMachine, `site_url = "https://shop.example.com"`), "auth"},
		"no engine for an app":         {web(onMachine, ""), "apps"},
		"no engine for a linked app":   {web(onMachine, `links = ["auth"]`), "auth"},
	} {
		all[name] = func(w *world) {
			without := strings.Replace(machine(""), "postgres = {}, apps = {}, auth = {}", "redis = {}", 1)
			w.run(without+c.child, "plan").succeeds().warns("engine " + c.engine + " is off")
			w.run(machine("")+c.child, "plan").lacks("is off")
			w.apply(without)
			w.run(without+c.child, "plan").says("engine "+c.engine+" is off", "the plan leaves it off")
			w.run(machine("")+c.child, "plan").lacks("is off")
		}
	}
	report(t, "vercel/terraform-provider-vercel#40", "a change of a parent", all)
}
