package reports

import (
	"encoding/json"
	"testing"
)

// Numbers are written as 320.0, 3.2e2 or "320".
func TestNumberThatIsNotWhole(t *testing.T) {
	all := machine("") + web(onMachine, "memory_mb = 512") + orders(onMachine, "") + endpoint("https://hooks.example.com/in", "")
	written := func(form trait) func(*world) {
		return func(w *world) {
			w.behaves(form)
			w.apply(all)
			w.quiet(all)
			w.counts(1, "POST", instances)
			w.run(all, "destroy").succeeds()
		}
	}
	report(t, "vultr/terraform-provider-vultr#183", "a number that is not written as a whole number", situations{
		"with a fraction of zero": written(everyNumber(".0")),
		"with an exponent":        written(everyNumber("e0")),
		"as a string": written(everyObject("", "", func(o map[string]any) {
			for name, v := range o {
				if n, ok := v.(json.Number); ok {
					o[name] = string(n)
				}
			}
		})),
		"a price with a fraction": func(w *world) {
			hcl := machine("") + "data \"hosting_plans\" \"p\" {}\noutput \"n\" { value = length(data.hosting_plans.p.plans) }\n"
			w.behaves(everyObject("GET", "/plans", func(o map[string]any) {
				if _, there := o["price_cents"]; there && o["id"] != "free" {
					o["price_cents"] = json.Number("999.5")
				}
			}))
			w.apply(hcl).lacks("catalog", "cannot")
			w.outputs("n", 5)
			w.quiet(hcl)
		},
		"an element that cannot be read": func(w *world) {
			hcl := "data \"hosting_plans\" \"p\" {}\noutput \"n\" { value = length(data.hosting_plans.p.plans) }\n"
			w.behaves(everyObject("GET", "/plans", func(o map[string]any) {
				if o["id"] == "xlarge" {
					o["memory_mb"] = "lots"
				}
			}))
			w.apply(hcl).warns("xlarge")
			w.outputs("n", 4)
		},
	})
}
