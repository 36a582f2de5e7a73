package reports

import "testing"

// Objects have names with signs that a configuration or a path must escape.
func TestNamesWithSigns(t *testing.T) {
	all := situations{}
	for _, name := range []string{"we${x}b", "50%{off}", "über", "with space", "a/b", "a?b", "a#b", "a%2fb"} {
		all[name] = func(w *world) {
			id := w.running()
			w.fake.AddDatabase(id, name)
			hcl := resource("hosting_postgres_database.d",
				"instance_id = \""+id+"\"",
				"name = jsondecode(\"\\\""+escaped(name)+"\\\"\")",
				"deletion_protection = false")
			if w.run(hcl, "import", "hosting_postgres_database.d", id+"/"+name).Exit == 1 {
				return // it is refused in words
			}
			w.run(hcl, "plan").succeeds().never("replace", "create")
		}
	}
	report(t, "vmware/terraform-provider-vcd#1302", "names with signs", all)
}

// escaped writes the signs of templates so that HCL reads them as they are.
func escaped(name string) string {
	out := ""
	for i, r := range name {
		if (r == '$' || r == '%') && i+1 < len(name) && name[i+1] == '{' {
			out += string(r)
		}
		out += string(r)
	}
	return out
}
