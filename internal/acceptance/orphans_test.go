package acceptance

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// After a kill, several objects may be in no state. A CLI shows one of several warnings with
// the same summary, and the plan names each object.
func TestPlanNamesEachOrphan(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `
resource "hosting_instance" "each" {
  for_each = toset(["one", "two"])
  name     = each.key
  plan     = "free"
  region   = "eu-central"
  engines  = { postgres = {} }
}
resource "hosting_webhook_endpoint" "each" {
  for_each = toset(["one", "two"])
  url      = "https://hooks.example.com/${each.key}"
}
`)
	var blocks []string
	for _, name := range []string{"one", "two"} {
		i := fake.AddInstance(fakeservice.Instance{Name: name, Plan: "free", Region: "eu-central"})
		e := fake.AddWebhook(fakeservice.Webhook{URL: "https://hooks.example.com/" + name, Enabled: true})
		blocks = append(blocks, "import { to = hosting_instance.NAME id = \""+i.ID+"\" }", "import { to = hosting_webhook_endpoint.NAME id = \""+e.ID+"\" }")
	}
	w.says(0, blocks, "plan")
}
