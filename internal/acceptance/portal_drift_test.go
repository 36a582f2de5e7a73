package acceptance

import (
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A change in the portal shows in the next plan as drift. The apply reverts it, and the
// portal shows that.
func TestDriftByThePortal(t *testing.T) {
	fake := startFake(t)
	configured := config(fake, `%s
resource "hosting_allowlist" "test" {
  instance_id = hosting_instance.test.id
  cidrs       = ["203.0.113.7"]
}`, appsInstance)
	run(t,
		resource.TestStep{Config: configured, ConfigPlanChecks: emptyPlan},
		resource.TestStep{
			PreConfig: func() {
				visitor, page := fakeservicetest.SignIn(t, fake), "/portal/instances/"+onlyInstance(t, fake)
				visitor.Open(page+"/allowlist").Submit("allowlist", map[string]string{"allowlist": "192.0.2.1"})
				fake.Advance(time.Minute) // the job
				visitor.Open(page+"/settings").Submit("label", map[string]string{"name": "renamed in the portal"})
				fake.Advance(time.Minute) // the job
				if in := fake.Instances()[0]; in.Name != "renamed in the portal" || !slices.Equal(in.Allowlist, []string{"192.0.2.1"}) {
					t.Fatalf("the instance after the portal: got name %q and allowlist %v, want \"renamed in the portal\" and 192.0.2.1", in.Name, in.Allowlist)
				}
			},
			Config: configured,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("hosting_allowlist.test", plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("hosting_instance.test", plancheck.ResourceActionUpdate),
			}},
			Check: func(*terraformState) error {
				page := fakeservicetest.SignIn(t, fake).Open("/portal/instances/" + onlyInstance(t, fake) + "/allowlist")
				if got := page.Value("allowlist", "allowlist"); got != "203.0.113.7" {
					t.Errorf("the allowlist in the portal after the apply: got %q, want 203.0.113.7", got)
				}
				return nil
			},
		},
	)
}
