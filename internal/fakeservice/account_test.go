package fakeservice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestCharges(t *testing.T) {
	t.Parallel()
	a := start(t)
	charged := func() (cents float64) {
		for _, c := range a.call("GET", "/billing", nil).body["charges"].([]any) {
			cents += c.(object)["amount_cents"].(float64)
		}
		return cents
	}
	id := a.accepted("POST", "/instances", object{"name": "a", "plan": "small", "region": "us-east"}).string("id")
	equal(t, "before the checkout", charged(), 0.0)
	must.Do(t, a.PayCheckout(id))
	equal(t, "first month", charged(), 900.0)
	a.Advance(time.Hour)
	a.done("POST", "/instances/"+id+"/actions/resize", object{"plan": "medium"})
	equal(t, "with the change", charged(), 1900.0)
	a.Advance(31 * 24 * time.Hour)
	equal(t, "second month", charged(), 3800.0)
	a.done("DELETE", "/instances/"+id+"?confirm="+id, nil)
	a.Advance(365 * 24 * time.Hour)
	equal(t, "after the deletion", charged(), 3800.0)

	first := a.call("GET", "/billing?limit=2", nil)
	charges := first.body["charges"].([]any)
	equal(t, "newest", charges[0].(object)["amount_cents"], any(1900.0))
	second := a.call("GET", "/billing?limit=2&cursor="+first.string("next_cursor"), nil)
	equal(t, "charges on both pages", len(charges)+len(second.body["charges"].([]any)), 3)
	equal(t, "subscriptions on both pages", []int{len(first.body["subscriptions"].([]any)), len(second.body["subscriptions"].([]any))}, []int{1, 0})
	equal(t, "cursor of the last page", second.string("next_cursor"), "")
	a.want(400, "invalid_request", "GET", "/billing?cursor=YWZ0ZXI6LTU", nil) // after:-5
}

func TestGuide(t *testing.T) {
	t.Parallel()
	a := start(t)
	got := a.call("GET", "/guides/apps", nil)
	if !strings.HasPrefix(got.header.Get("Content-Type"), "text/markdown") || !strings.Contains(got.text, "/healthz") {
		t.Errorf("the guide: got type %s and %q, want text/markdown with /healthz", got.header.Get("Content-Type"), got.text)
	}
	equal(t, "public guide", a.page(a.RootURL+"/guides/apps"), got.text)
}

func TestBackups(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.accepted("POST", "/instances", object{
		"name": "a", "plan": "free", "region": "us-east", "engines": object{"postgres": true},
	}).string("id")
	path := "/instances/" + id
	a.Advance(8*time.Minute + 48*time.Hour)
	backups := a.call("GET", path+"/backups", nil).body["backups"].([]any)
	equal(t, "daily backups", len(backups), 3)

	a.done("POST", path+"/postgres/databases", object{"name": "later"})
	newest := backups[0].(object)["id"].(string)
	a.want(422, "validation_failed", "POST", path+"/actions/restore", object{"confirm": id, "backup_id": "bak-none"})
	a.want(400, "confirm_mismatch", "POST", path+"/actions/restore", object{"confirm": "i-other", "backup_id": newest})
	a.done("POST", path+"/actions/restore", object{"confirm": id, "backup_id": newest})
	equal(t, "databases after the restore", len(a.Databases(id)), 1)
	undo := a.call("GET", path+"/backups", nil).body["backups"].([]any)[0].(object)
	equal(t, "kind", undo["kind"], any("undo"))
	a.done("POST", path+"/actions/restore", object{"confirm": id, "backup_id": undo["id"]})
	equal(t, "databases after undoing it", len(a.Databases(id)), 2)

	a.want(422, "validation_failed", "POST", path+"/actions/reset", object{"confirm": id, "engine": "redis"})
	a.want(400, "confirm_mismatch", "POST", path+"/actions/reset", object{"confirm": "i-other"})
	a.done("POST", path+"/actions/reset", object{"confirm": id})
	equal(t, "databases after a reset", len(a.Databases(id)), 1)
	a.Advance(30 * 24 * time.Hour)
	equal(t, "backups kept", len(a.call("GET", path+"/backups", nil).body["backups"].([]any)), 10)
}

func TestResize(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps", "auth")
	path := "/instances/" + id + "/actions/resize"
	a.want(422, "validation_failed", "POST", path, object{"plan": "gigantic"})
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Engines["postgres"].MemoryMB = 2000 })
	a.want(422, "validation_failed", "POST", path, object{"plan": "free"})
	if got := a.want(422, "validation_failed", "POST", path, object{"plan": "medium"}); !strings.HasPrefix(got.string("detail"), "plan: ") {
		t.Errorf("the detail of a resize to the present plan: got %q, want one that begins with plan", got.string("detail"))
	}
	a.done("POST", path, object{"plan": "large"})
	equal(t, "plan", a.call("GET", "/instances/"+id, nil).string("plan"), "large")
}
