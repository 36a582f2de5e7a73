package reports

import "testing"

// A name is looked for, and other names begin with it.
func TestNameThatOthersBeginWith(t *testing.T) {
	report(t, "scaleway/terraform-provider-scaleway#2221", "a name that others begin with", situations{
		"a data source": func(w *world) {
			id := w.running()
			for _, name := range []string{"shop-dev", "Shop", "sho.*"} {
				w.fake.AddInstance(instanceRecord{Name: name, Plan: "free", Region: "eu-central"})
			}
			w.apply("data \"hosting_instance\" \"x\" {\n  name = \"shop\"\n}\noutput \"id\" { value = data.hosting_instance.x.id }\n")
			w.outputs("id", id)
		},
		"two with the same name": func(w *world) {
			w.running()
			w.running()
			w.run(data("hosting_instance.x", `name = "shop"`), "plan").fails("shop")
		},
		"a status in another case": func(w *world) {
			w.running()
			w.apply(data("hosting_instances.x", `status = "RUNNING"`) + "output \"n\" { value = length(data.hosting_instances.x.instances) }\n")
		},
	})
}
