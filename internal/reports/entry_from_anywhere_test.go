package reports

import "testing"

// An entry that Terraform does not know keeps the door open.
func TestEntryFromAnywhere(t *testing.T) {
	hcl := machine("") + list(`["203.0.113.0/24"]`)
	report(t, "mongodb/terraform-provider-mongodbatlas#4151", "an entry from anywhere", situations{
		"before the first apply": func(w *world) {
			w.apply(machine(""))
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Allowlist = []string{"0.0.0.0/0"} })
			w.apply(hcl)
			i, _ := w.fake.Instance(w.id())
			w.be(len(i.Allowlist) == 1 && i.Allowlist[0] == "203.0.113.0/24", "the list: got %v", i.Allowlist)
		},
		"added by somebody": func(w *world) {
			w.apply(hcl)
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Allowlist = append(i.Allowlist, "0.0.0.0/0") })
			w.run(hcl, "plan").changes(map[string]string{listAddress: "update"})
			w.apply(hcl)
			w.settled(hcl)
		},
	})
}
