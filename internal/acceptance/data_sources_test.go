package acceptance

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// shows checks an attribute of a data source, by its path.
func shows(address string, value knownvalue.Check, attribute string, below ...any) statecheck.StateCheck {
	path := tfjsonpath.New(attribute)
	for _, step := range below {
		switch step := step.(type) {
		case string:
			path = path.AtMapKey(step)
		case int:
			path = path.AtSliceIndex(step)
		}
	}
	return statecheck.ExpectKnownValue(address, path, value)
}

var seededAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seeded returns a fake with three instances, two of which have the same name, and an app
// on the first.
func seeded(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	return seed(startFake(t))
}

// seed adds the objects of seeded to a fake. The backup is an undo snapshot, because days
// pass while a test waits for its turn, and only seven daily backups are kept.
func seed(fake *fakeservicetest.Server) *fakeservicetest.Server {
	engines := func() map[string]*fakeservice.Engine {
		return map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256}}
	}
	one := engines()
	one["apps"].MemoryMB = 1536 // room for three apps
	fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central", Engines: one, Tags: []string{"b", "a"}, Backups: []fakeservice.Backup{{ID: "bak-1", Kind: "undo", SizeBytes: 7, CreatedAt: seededAt}},
		Activity: []fakeservice.Activity{{At: seededAt, Type: "resize", Detail: "to medium"}}})
	fake.AddInstance(fakeservice.Instance{ID: "i-two", Name: "two", Plan: "free", Region: "us-east", Engines: engines()})
	fake.AddInstance(fakeservice.Instance{ID: "i-twin", Name: "two", Plan: "free", Region: "us-west"})
	fake.AddApp("i-one", fakeservice.App{Name: "web", Repo: "octo/web", Branch: "main", Port: 3000, HealthPath: "/up", Public: true, Links: []string{"auth", "auth"}, Env: map[string]string{"TOKEN": "canary"},
		Builds: []fakeservice.Build{{ID: "bld-1", Status: "successful", Commit: "c1", CreatedAt: seededAt, FinishedAt: seededAt.Add(time.Minute)}}})
	return fake
}

func TestDataSources(t *testing.T) {
	fake := seed(fakeservicetest.Start(t)) // no day passes
	run(t, resource.TestStep{
		Config: config(fake, `
data "hosting_plans" "all" {}
data "hosting_plans" "big" { min_memory_mb = 8192 }
data "hosting_plans" "free" { max_price_cents = 0 }
data "hosting_plans" "one" { id = "small" }
data "hosting_locations" "all" {}
data "hosting_locations" "german" { country = "DE" }
data "hosting_instance" "by_id" { id = "i-one" }
data "hosting_instance" "by_name" { name = "one" }
data "hosting_instances" "all" {}
data "hosting_instances" "named" { name = "two" }
data "hosting_instances" "picked" {
  name   = "one"
  plan   = "medium"
  region = "eu-central"
  status = "running"
  tag    = "a"
}
data "hosting_instances" "none" { tag = "nobody's" }
data "hosting_connection" "one" { instance_id = "i-one" }
data "hosting_backups" "one" { instance_id = "i-one" }
data "hosting_backups" "daily" {
  instance_id = "i-one"
  kind        = "daily"
}
data "hosting_app" "web" {
  instance_id = "i-one"
  name        = "web"
}
data "hosting_app_builds" "web" {
  instance_id = "i-one"
  app         = "web"
}
data "hosting_apps_guide" "it" {}
data "hosting_account" "me" {}
data "hosting_billing" "all" {}
data "hosting_billing" "one" {
  instance_id = "i-one"
  status      = "active"
}
resource "hosting_webhook_endpoint" "off" {
  url     = "https://hooks.example/off"
  enabled = false
}
data "hosting_webhook_endpoints" "off" {
  enabled    = false
  depends_on = [hosting_webhook_endpoint.off]
}
data "hosting_webhook_endpoints" "on" {
  enabled    = true
  depends_on = [hosting_webhook_endpoint.off]
}
`),
		ConfigStateChecks: []statecheck.StateCheck{
			shows("data.hosting_plans.all", knownvalue.ListSizeExact(5), "plans"),
			shows("data.hosting_plans.all", knownvalue.StringExact("free"), "plans", 0, "id"),
			shows("data.hosting_plans.all", knownvalue.Int64Exact(512), "engines", "postgres", "floor_mb"),
			shows("data.hosting_plans.all", knownvalue.Null(), "engines", "auth", "port"),
			shows("data.hosting_plans.big", knownvalue.ListSizeExact(2), "plans"),
			shows("data.hosting_plans.free", knownvalue.ListSizeExact(1), "plans"),
			shows("data.hosting_plans.one", knownvalue.Int64Exact(900), "plans", 0, "price_cents"),
			shows("data.hosting_locations.all", knownvalue.ListSizeExact(5), "locations"),
			shows("data.hosting_locations.german", knownvalue.StringExact("eu-central"), "locations", 0, "id"),
			shows("data.hosting_instance.by_id", knownvalue.StringExact("one"), "name"),
			shows("data.hosting_instance.by_id", knownvalue.NotNull(), "usage", "cpu_percent"),
			shows("data.hosting_instance.by_id", knownvalue.NotNull(), "usage", "memory_mb"),
			shows("data.hosting_instance.by_id", knownvalue.NotNull(), "usage", "disk_gb"),
			shows("data.hosting_instance.by_id", knownvalue.Bool(true), "monitoring", "healthy"),
			shows("data.hosting_instance.by_id", knownvalue.NotNull(), "monitoring", "checked_at"),
			shows("data.hosting_instance.by_id", knownvalue.Int64Exact(1), "backups", "count"),
			shows("data.hosting_instance.by_id", knownvalue.StringExact("2026-03-01T12:00:00Z"), "backups", "last_at"),
			shows("data.hosting_instance.by_id", knownvalue.StringExact("resize"), "activity", 0, "type"),
			shows("data.hosting_instance.by_id", knownvalue.StringExact("to medium"), "activity", 0, "detail"),
			shows("data.hosting_instance.by_id", knownvalue.StringExact("2026-03-01T12:00:00Z"), "activity", 0, "at"),
			shows("data.hosting_app_builds.web", knownvalue.StringExact("2026-03-01T12:01:00Z"), "builds", 0, "finished_at"),
			shows("data.hosting_instance.by_id", knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("a"), knownvalue.StringExact("b")}), "tags"),
			shows("data.hosting_instance.by_id", knownvalue.Int64Exact(5432), "engines", "postgres", "port"),
			shows("data.hosting_instance.by_id", knownvalue.SetSizeExact(0), "allowlist"),
			shows("data.hosting_instance.by_name", knownvalue.StringExact("i-one"), "id"),
			shows("data.hosting_instances.all", knownvalue.ListSizeExact(3), "instances"),
			shows("data.hosting_instances.named", knownvalue.ListSizeExact(2), "instances"),
			shows("data.hosting_instances.named", knownvalue.StringExact("i-twin"), "instances", 0, "id"),
			shows("data.hosting_instances.picked", knownvalue.StringExact("i-one"), "instances", 0, "id"),
			shows("data.hosting_instances.none", knownvalue.ListSizeExact(0), "instances"),
			shows("data.hosting_connection.one", knownvalue.Int64Exact(5432), "postgres_direct_port"),
			shows("data.hosting_connection.one", knownvalue.Int64Exact(6432), "postgres_pooled_port"),
			shows("data.hosting_connection.one", knownvalue.NotNull(), "ca_certificate"),
			shows("data.hosting_connection.one", knownvalue.NotNull(), "auth_anon_key"),
			shows("data.hosting_backups.one", knownvalue.StringExact("undo"), "backups", 0, "kind"),
			shows("data.hosting_backups.daily", knownvalue.ListSizeExact(0), "backups"),
			shows("data.hosting_app.web", knownvalue.StringExact("octo/web"), "repo"),
			shows("data.hosting_app.web", knownvalue.SetExact([]knownvalue.Check{knownvalue.StringExact("auth")}), "links"),
			shows("data.hosting_app_builds.web", knownvalue.NotNull(), "builds"),
			shows("data.hosting_apps_guide.it", knownvalue.NotNull(), "markdown"),
			shows("data.hosting_account.me", knownvalue.NotNull(), "email"),
			shows("data.hosting_billing.all", knownvalue.ListSizeExact(3), "subscriptions"),
			shows("data.hosting_billing.one", knownvalue.ListSizeExact(1), "subscriptions"),
			shows("data.hosting_webhook_endpoints.off", knownvalue.ListSizeExact(1), "endpoints"),
			shows("data.hosting_webhook_endpoints.on", knownvalue.ListSizeExact(0), "endpoints"),
		},
		ConfigPlanChecks: emptyPlan,
	})
}
