package reports

import "testing"

// The service summarises the blocks of a list, or spells everything otherwise.
func TestAddressesInAnotherForm(t *testing.T) {
	kept := func(asked string, kept ...any) func(*world) {
		return func(w *world) {
			hcl := machine("") + list(asked)
			w.behaves(shows("", "allowlist", kept))
			w.apply(hcl).lacks("did not make the change")
			w.apply(hcl)
			w.settled(hcl)
		}
	}
	report(t, "hashicorp/terraform#2471", "addresses in another form", situations{
		"two halves become one":     kept(`["203.0.113.0/25", "203.0.113.128/25"]`, "203.0.113.0/24"),
		"one is within the other":   kept(`["10.0.0.0/8", "10.1.0.0/16"]`, "10.0.0.0/8"),
		"an address is within":      kept(`["198.51.100.0/24", "198.51.100.7"]`, "198.51.100.0/24"),
		"a bare address gets a /32": kept(`["198.51.100.7"]`, "198.51.100.7/32"),
		"everything becomes nothing": func(w *world) {
			hcl := machine("") + list(`["0.0.0.0/0", "::/0"]`)
			w.behaves(shows("", "allowlist", []any{}))
			w.run(hcl, "plan").warns("internet")
			o := w.run(hcl, "apply")
			w.be(o.Exit == 1 || len(w.run(hcl, "plan").Changes) == 0, "an endless difference without an error")
		},
		"more than was asked for": func(w *world) {
			hcl := machine("") + list(`["203.0.113.0/24"]`)
			w.behaves(shows("", "allowlist", []any{"203.0.112.0/23"}))
			w.run(hcl, "apply").fails("203.0.112.0/23", "203.0.113.0/24").lacks("the change is in effect")
		},
		"a block with bits of a host": func(w *world) {
			w.run(machine("")+list(`["10.0.0.1/8"]`), "plan").failsOn("cidrs", "10.0.0.1/8")
		},
		"overlaps are refused": func(w *world) {
			w.apply(machine("") + list(`["203.0.113.0/24"]`))
			w.behaves(answers("PUT", allowlist, 422, "validation_failed", "allowlist: 10.1.0.0/16 overlaps 10.0.0.0/8"))
			w.run(machine("")+list(`["10.0.0.0/8", "10.1.0.0/16"]`), "apply").failsOn("cidrs", "overlaps")
			w.holds([]any{"203.0.113.0/24"}, listAddress, "cidrs")
		},
	})
}
