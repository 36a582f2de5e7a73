package reports

import "testing"

// A set has an element that is not known in the plan, and the state spells its addresses in
// another way.
func TestSetWithAnUnknownElement(t *testing.T) {
	hcl := func(input string) string {
		return machine("") + unknownly("ip", input) + list(`["203.0.113.7", lower(terraform_data.ip.output)]`)
	}
	report(t, "hashicorp/terraform#20226", "a set with an unknown element", situations{
		"as before in the end": func(w *world) {
			w.apply(hcl("2001:db8::A"))
			w.behaves(shows("", "allowlist", []any{"203.0.113.7/32", "2001:db8::a/128"}))
			w.apply(hcl("2001:DB8::a"))
			w.counts(1, "PUT", allowlist)
			w.settled(hcl("2001:DB8::a"))
		},
		"the state has the other spelling": func(w *world) {
			id := w.running()
			w.adopts(hcl("a"), machineAddress, id)
			w.fake.EditInstance(id, func(i *instanceRecord) { i.Allowlist = []string{"203.0.113.7/32", "2001:db8::a/128"} })
			w.adopts(hcl("a"), listAddress, id)
			w.apply(hcl("2001:DB8::A"))
			w.counts(0, "PUT", allowlist)
			w.settled(hcl("2001:DB8::A"))
		},
		"a duplicate in the end": func(w *world) {
			w.run(machine("")+unknownly("ip", "203.0.113.7/32")+list(`["203.0.113.7", terraform_data.ip.output]`), "apply").lacks("inconsistent")
			w.be(len(w.asked("PUT", allowlist)) <= 1, "the list was sent twice")
		},
	})
}
