package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A plan and a location are no longer for sale. Their machines continue to run.
func TestPlanNoLongerSold(t *testing.T) {
	medium := func(more string) string { return strings.Replace(machine(more), `"free"`, `"medium"`, 1) }
	retires := func(w *world) {
		w.fake.EditCatalog(func(c *fakeservice.Catalog) {
			c.Plans = slices.DeleteFunc(c.Plans, func(p fakeservice.Plan) bool { return p.ID == "medium" })
			for i, location := range c.Locations {
				if location.ID == "eu-central" {
					c.Locations = slices.Delete(c.Locations, i, i+1)
					break
				}
			}
		})
	}
	starts := func(w *world, hcl string) {
		w.free("medium")
		w.apply(hcl)
		retires(w)
	}
	report(t, "mysticaltech/terraform-hcloud-kube-hetzner#1966", "a plan that is no longer sold", situations{
		"nothing changes": func(w *world) {
			hcl := medium("") + web(onMachine, "")
			starts(w, hcl)
			w.quiet(hcl)
		},
		"other arguments change": func(w *world) {
			starts(w, medium(""))
			after := medium(`tags = ["a"]`) + web(onMachine, "") + list(`["192.0.2.1"]`)
			w.apply(after).never("replace", "delete")
			w.settled(after)
		},
		"it is destroyed": func(w *world) {
			starts(w, medium(""))
			w.run(medium(""), "destroy").succeeds()
		},
		"a new one": func(w *world) {
			w.free("medium")
			retires(w)
			w.run(medium(""), "plan").failsOn("plan", "medium")
			w.counts(0, "POST", instances)
		},
		"a replacement": func(w *world) {
			starts(w, medium(""))
			w.run(strings.Replace(medium(""), "eu-central", "us-east", 1), "plan").says("medium")
			w.counts(0, "DELETE", "")
		},
	})
}
