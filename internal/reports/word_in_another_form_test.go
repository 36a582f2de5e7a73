package reports

import (
	"strings"
	"testing"
)

// A word of a setting is kept in another letter case, or another word is kept.
func TestWordInAnotherForm(t *testing.T) {
	mode := func(v string) string {
		return machine("") + resource("hosting_console_mode.c", onMachine, "mode = \""+v+"\"")
	}
	script := machine("") + resource("hosting_postgres_script.s", onMachine, `sql = "SELECT 1"`)
	const console = "/instances/*/engines/postgres/console"
	upper := func(x *exchange) {
		walkObjects(x.answer, func(o map[string]any) {
			for _, name := range []string{"mode", "console_mode"} {
				if v, ok := o[name].(string); ok {
					o[name] = strings.ToUpper(v)
				}
			}
		})
	}
	report(t, "terraform-providers/terraform-provider-opc#17", "a word in another form", situations{
		"the console in upper case": func(w *world) {
			w.behaves(trait{after: upper})
			w.apply(mode("ro"))
			w.apply(mode("ro"))
			w.be(len(w.asked("PUT", "/instances/*/sql-console"))+len(w.asked("PUT", console)) == 1, "the mode was sent again")
		},
		"a script while the console is OFF": func(w *world) {
			w.behaves(trait{after: upper})
			w.apply(script)
			i, _ := w.fake.Instance(w.id())
			w.be(i.ConsoleMode == "off", "the console mode: got %s, want off", i.ConsoleMode)
		},
		"statuses in upper case": func(w *world) {
			w.behaves(keeps("status", strings.ToUpper))
			hcl := machine("") + web(onMachine, "") + orders(onMachine, "")
			w.apply(hcl)
			w.settled(hcl)
		},
	})
}
