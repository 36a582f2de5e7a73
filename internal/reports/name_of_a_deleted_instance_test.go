package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A look-up by name finds an instance that is being deleted, next to the one that took its
// name.
func TestNameOfADeletedInstance(t *testing.T) {
	byName := data("hosting_instance.x", `name = "shop"`) + "output \"id\" { value = data.hosting_instance.x.id }\n"
	ends := func(w *world, id string) {
		w.fake.EditInstance(id, func(i *instanceRecord) { i.Status = "deleting" })
	}
	report(t, "cloudflare/terraform-provider-cloudflare#3069", "the name of a deleted object", situations{
		"next to its successor": func(w *world) {
			old := w.running()
			ends(w, old)
			w.fake.AddInstance(fakeservice.Instance{Name: "shop", Plan: "free", Region: "eu-central"})
			if o := w.run(byName, "apply"); o.Exit == 0 {
				w.be(w.cli.Output("id") != old, "the output has the deleted instance")
			} else {
				o.fails(old, "shop")
			}
		},
	})
}
