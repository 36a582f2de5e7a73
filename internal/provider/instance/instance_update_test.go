package instance

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// Another client resizes the instance while this update renames it. The update does not
// resize it again.
func TestChangeThatSomebodyElseMakesDuringAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "small", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		resizes := 0
		c := providertest.Client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fake.ServeHTTP(w, r)
			switch {
			case r.Method == http.MethodPatch:
				fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.Plan = "medium" })
			case strings.HasSuffix(r.URL.Path, "/resize"):
				resizes++
			}
		}))
		turn, before := enterOne(t, c)
		planned := before
		planned.Name, planned.Plan = types.StringValue("renamed"), types.StringValue("medium")
		done, err := converge(t, c, turn, before, planned)
		if err != nil || done.Plan != planned.Plan || done.Name != planned.Name {
			t.Errorf("the update: got name %s, plan %s and error %v, want both as planned", done.Name, done.Plan, err)
		}
		if resizes != 0 {
			t.Errorf("resizes: got %d, want none", resizes)
		}
	})
}
