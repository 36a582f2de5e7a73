package reports

import "testing"

// The same file has other line endings in another checkout. Those of an app's variable are
// part of its value, which the app sees: the plan shows that change.
func TestLineEndings(t *testing.T) {
	script := func(sql string) string {
		return machine("") + resource("hosting_postgres_script.seed", onMachine, "sql = \""+sql+"\"")
	}
	const lf, crlf = `INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\n`, `INSERT INTO t VALUES (1);\r\nINSERT INTO t VALUES (2);\r\n`
	report(t, "microsoft/terraform-provider-azuredevops#365", "line endings", situations{
		"of a script": func(w *world) {
			w.apply(script(lf))
			o := w.run(script(crlf), "plan").succeeds()
			w.be(len(o.Changes) == 0 || len(o.Diagnostics) > 0, "the script would run again without a word")
			w.apply(script(crlf))
			w.quiet(script(crlf))
			w.counts(1, "POST", query)
		},
		"a final newline of a script": func(w *world) {
			w.apply(script(`INSERT INTO t VALUES (1);`))
			o := w.run(script(`INSERT INTO t VALUES (1);\n`), "plan").succeeds()
			w.be(len(o.Changes) == 0 || len(o.Diagnostics) > 0, "the script would run again without a word")
		},
	})
}
