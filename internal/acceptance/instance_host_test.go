package acceptance

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// The record of an instance may show that it runs before it shows the host, which the
// connection record has (scaleway/terraform-provider-scaleway#4003).
func TestHostThatTheRecordDoesNotShowYet(t *testing.T) {
	fake := startFake(t)
	hide := func(record any) { delete(record.(map[string]any), "host") }
	shown := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(m map[string]any) { hide(m) }})
	listed := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances", Times: -1, Rewrite: func(m map[string]any) {
		for _, record := range m["instances"].([]any) {
			hide(record)
		}
	}})
	w := newWorkspace(t, fake, `resource "hosting_instance" "shop" {
  name                = "shop"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = false
}
data "hosting_instance" "shop" {
  id = hosting_instance.shop.id
}
data "hosting_instances" "all" {
  depends_on = [hosting_instance.shop]
}
output "hosts" {
  value = [hosting_instance.shop.host, data.hosting_instance.shop.host, data.hosting_instances.all.instances[0].host]
  precondition {
    condition     = hosting_instance.shop.host != null && data.hosting_instance.shop.host != null && data.hosting_instances.all.instances[0].host != null
    error_message = "a host is null"
  }
}
`)
	w.apply()
	w.mustBeSettled()
	shown()
	listed()
	w.mustBeSettled()
}
