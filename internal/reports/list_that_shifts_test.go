package reports

import (
	"sync/atomic"
	"testing"
)

// shifting changes a list in the answers of a path, as often as times; -1 is always.
func shifting(path, member string, times int64, change func(body map[string]any, list []any)) trait {
	var n atomic.Int64
	return trait{method: "GET", path: path, after: func(x *exchange) {
		if elements, ok := x.object()[member].([]any); ok && (times < 0 || n.Add(1) <= times) {
			change(x.object(), elements)
		}
	}}
}

// Pages shift between two requests: one item comes twice, and another never. Such a list
// shows that it is incomplete, and proves nothing.
func TestListThatShifts(t *testing.T) {
	three := machine("") + `
resource "hosting_postgres_database" "d" {
  count               = 3
  instance_id         = hosting_instance.a.id
  name                = "d${count.index}"
  deletion_protection = false
}
`
	twice := func(member string) func(map[string]any, []any) {
		return func(_ map[string]any, list []any) {
			if len(list) > 1 {
				list[len(list)-1] = list[0]
			}
		}
	}
	circle := func(body map[string]any, list []any) {
		if len(list) > 0 {
			body["databases"], body["next_cursor"] = list[:len(list)-1], "again"
		}
	}
	missing := func(body map[string]any, list []any) { body["databases"] = nil }
	always := func(change func(map[string]any, []any)) func(*world) {
		return func(w *world) {
			w.apply(three)
			w.behaves(trait{path: databases, before: func(x *exchange) { x.query = "" }}, shifting(databases, "databases", -1, change))
			w.run(three, "plan").fails().lacks("is gone", "no longer exists").never("create")
			w.manages("hosting_postgres_database.d[0]", "hosting_postgres_database.d[1]", "hosting_postgres_database.d[2]")
		}
	}
	once := func(change func(map[string]any, []any)) func(*world) {
		return func(w *world) {
			w.apply(three)
			w.behaves(trait{path: databases, before: func(x *exchange) { x.query = "" }}, shifting(databases, "databases", 1, change))
			w.quiet(three)
		}
	}
	report(t, "latitudesh/terraform-provider-latitudesh#200", "a list that shifts", situations{
		"an item twice, always":  always(twice("databases")),
		"an item twice, once":    once(twice("databases")),
		"a cursor twice, always": always(circle),
		"a page is null, always": always(missing),
		"a page is null, once":   once(missing),
		"instances, an item twice": func(w *world) {
			five := `
resource "hosting_instance" "many" {
  count               = 5
  name                = "m${count.index}"
  plan                = "free"
  region              = "eu-central"
  engines             = {}
  deletion_protection = false
}
`
			w.apply(five)
			w.behaves(shifting(instances, "instances", -1, twice("instances")))
			w.settled(five)
		},
		"a data source, an item twice": func(w *world) {
			hcl := `
data "hosting_webhook_endpoints" "all" {}
output "n" { value = length(data.hosting_webhook_endpoints.all.endpoints) }
resource "hosting_webhook_endpoint" "hook" {
  count = 4
  url   = "https://hooks.example.com/${count.index}"
}
`
			w.apply(hcl)
			w.behaves(shifting(webhooks, "webhooks", -1, twice("webhooks")))
			w.run(hcl, "plan").fails()
		},
	})
}
