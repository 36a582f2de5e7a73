package reports

import (
	"fmt"
	"strings"
	"testing"
)

// The script that undoes another one has a mistake. A correction in the configuration is
// enough, and nothing runs twice or is forgotten.
func TestBrokenDestroyScript(t *testing.T) {
	script := func(sql, undo string) string {
		return machine("") + resource("hosting_postgres_script.schema", onMachine, fmt.Sprintf("sql = %q", sql), fmt.Sprintf("destroy_sql = %q", undo))
	}
	const create, broken, right = "CREATE TABLE t (id int)", "DROP TABEL t", "DROP TABLE t"
	refuses := trait{method: "POST", path: query, before: func(x *exchange) {
		if strings.Contains(fmt.Sprint(x.sent), "TABEL") {
			x.refuses(422, "sql_error", `syntax error at or near "TABEL" (SQLSTATE 42601)`)
		}
	}}
	runs := func(w *world, sql string) (n int) {
		for _, x := range w.asked("POST", query) {
			if x.status == 0 && x.sent.(map[string]any)["sql"] == sql {
				n++
			}
		}
		return n
	}
	const address = "hosting_postgres_script.schema"
	report(t, "aidanmelen/terraform-provider-snowsql#11", "a broken destroy script", situations{
		"corrected, then destroyed": func(w *world) {
			w.behaves(refuses)
			w.apply(script(create, broken))
			w.run(machine(""), "apply").fails("42601")
			w.manages(address)
			w.run(script(create, right), "apply").succeeds().never("replace", "create")
			w.be(runs(w, create) == 1, "the script ran %d times, want once", runs(w, create))
			w.quiet(script(create, right))
			w.apply(machine(""))
			w.be(runs(w, right) == 1 && len(w.cli.State()) == 1, "the correction ran %d times; %v", runs(w, right), w.cli.State())
		},
		"the whole is destroyed": func(w *world) {
			w.behaves(refuses)
			w.apply(script(create, broken))
			w.run(script(create, broken), "destroy").fails("42601")
			w.manages(address, machineAddress)
			w.apply(script(create, right))
			w.run(script(create, right), "destroy").succeeds()
		},
	})
}
