package reports

import (
	"strings"
	"testing"
)

// A gateway refuses a request as too large.
func TestRequestThatIsTooLarge(t *testing.T) {
	large := func(method, path string) trait {
		return trait{method: method, path: path, before: func(x *exchange) {
			x.status, x.body = 413, []byte("<html>413 Request Entity Too Large</html>")
			x.header.Set("Content-Type", "text/html")
		}}
	}
	report(t, "grafana/grafana#7532", "a request that is too large", situations{
		"a script": func(w *world) {
			hcl := machine("") + resource("hosting_postgres_script.s",
				onMachine,
				"sql = \"SELECT '"+strings.Repeat("x", 1000)+"'\"")
			remove := w.behaves(large("POST", query))
			w.run(hcl, "apply").fails("too large").lacks("Check the base URL", "untaint", "state rm")
			i, _ := w.fake.Instance(w.id())
			w.be(i.ConsoleMode == "off", "the console mode: got %s, want off", i.ConsoleMode)
			remove()
			w.apply(hcl)
		},
		"the variables of an app": func(w *world) {
			w.apply(machine(""))
			w.behaves(large("POST", appImport))
			w.run(machine("")+web(onMachine, `env = { A = "b" }`), "apply").fails("too large").lacks("Check the base URL")
			w.counts(1, "POST", appImport)
		},
	})
}
