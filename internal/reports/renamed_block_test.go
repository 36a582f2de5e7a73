package reports

import (
	"strings"
	"testing"
)

// A block is renamed without a moved block.
func TestRenamedBlock(t *testing.T) {
	renamed := func(before, after string) func(*world) {
		return func(w *world) {
			w.apply(machine("") + before)
			w.run(machine("")+after, "apply")
			w.run(machine("")+after, "apply")
			w.settled(machine("") + after)
		}
	}
	rename := func(hcl, from, to string) string { return strings.Replace(hcl, `"`+from+`" {`, `"`+to+`" {`, 1) }
	all := situations{}
	for name, blocks := range map[string][2]string{
		"a database":   {orders(onMachine, ""), "orders"},
		"an app":       {web(onMachine, ""), "web"},
		"an extension": {crypto(onMachine), "crypto"},
		"an endpoint":  {endpoint("https://hooks.example.com/in", ""), "hook"},
		"an allowlist": {list(`["203.0.113.0/24"]`), "list"},
	} {
		all[name] = renamed(blocks[0], rename(blocks[0], blocks[1], "other"))
	}
	all["a database is said to be lost"] = func(w *world) {
		w.apply(machine("") + orders(onMachine, ""))
		w.run(machine("")+rename(orders(onMachine, ""), "orders", "other"), "plan").warns("orders", "moved")
	}
	all["a renamed machine is not the other's settings"] = func(w *world) {
		hcl := machine("") + list(`["203.0.113.0/24"]`)
		w.apply(hcl)
		w.apply(strings.ReplaceAll(hcl, `"list"`, `"other"`))
		i, _ := w.fake.Instance(w.id())
		w.be(len(i.Allowlist) == 1, "the allowlist: got %v", i.Allowlist)
	}
	report(t, "newrelic/terraform-provider-newrelic#1268", "a block that is renamed", all)
}
