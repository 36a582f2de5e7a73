package reports

import (
	"strings"
	"testing"
)

// A script's destroy_sql drops what is gone already.
func TestDestroyOfWhatIsGone(t *testing.T) {
	without := machine("") + orders(onMachine, "")
	hcl := without + `
resource "hosting_postgres_script" "s" {
  instance_id = hosting_instance.a.id
  database    = "orders"
  sql         = "CREATE TABLE IF NOT EXISTS guestbook_entries (id bigserial)"
  destroy_sql = "DROP TABLE guestbook_entries"
  depends_on  = [hosting_postgres_database.orders]
}
`
	report(t, "MaterializeInc/terraform-provider-materialize#190", "a destroy of what is gone", situations{
		"the table": func(w *world) {
			w.apply(hcl)
			w.behaves(answers("POST", query, 422, "sql_error", `table "guestbook_entries" does not exist (SQLSTATE 42P01)`))
			w.run(without, "apply").fails("guestbook_entries", "state rm").lacks("Fix the script, then apply again")
			w.manages("hosting_postgres_script.s")
		},
		"the table, with statements that succeed": func(w *world) {
			w.apply(hcl)
			w.behaves(trait{method: "POST", path: query, before: func(x *exchange) {
				if sent, _ := x.sent.(map[string]any); sent["sql"] == "DROP TABLE guestbook_entries" {
					x.refuses(422, "sql_error", `table "guestbook_entries" does not exist (SQLSTATE 42P01)`)
				}
			}})
			w.run(without, "apply").fails("IF EXISTS")
			scripts := len(w.asked("POST", query))
			w.apply(strings.Replace(hcl, "DROP TABLE g", "DROP TABLE IF EXISTS g", 1))
			w.counts(scripts, "POST", query)
			w.apply(without)
			w.settled(without)
		},
		"the database": func(w *world) {
			w.apply(hcl)
			w.fake.RemoveDatabase(w.id(), "orders")
			w.apply(machine(""))
			w.settled(machine(""))
		},
	})
}
