package reports

import (
	"strings"
	"testing"
)

// The service keeps a name in another letter case and knows the object only by that. A
// destroy deletes the object or fails; it never forgets it.
func TestCaseOfANameAtDestroy(t *testing.T) {
	leaves := func(hcl, path, lower string, there func(*world) bool) func(*world) {
		return func(w *world) {
			w.apply(hcl)
			w.behaves(trait{path: path, before: func(x *exchange) {
				if strings.HasSuffix(x.path, lower) {
					x.refuses(404, "not_found", "there is no "+lower)
				}
			}}, trait{method: "GET", after: func(x *exchange) {
				if x.status < 300 {
					walkObjects(x.answer, func(o map[string]any) {
						if o["name"] == lower {
							o["name"] = strings.ToUpper(lower)
						}
					})
				}
			}})
			for _, flag := range []string{"-refresh=true", "-refresh=false"} {
				if o := w.run(machine(""), "apply", flag); there(w) {
					o.fails(strings.ToUpper(lower))
				}
			}
		}
	}
	report(t, "pan-net/terraform-provider-powerdns#82", "the letter case of a name at a destroy", situations{
		"database": leaves(machine("")+orders(onMachine, ""), "/instances/*/postgres/databases/*", "orders",
			func(w *world) bool { return len(w.fake.Databases(w.id())) > 0 }),
		"app": leaves(machine("")+web(onMachine, ""), app, "web",
			func(w *world) bool { return len(w.fake.Apps(w.id())) > 0 }),
		"extension": leaves(machine("")+crypto(onMachine), "/instances/*/postgres/extensions/*", "pgcrypto",
			func(w *world) bool { return len(w.fake.Extensions(w.id())) > 0 }),
	})
}
