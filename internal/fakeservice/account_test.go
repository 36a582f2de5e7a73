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
	charged := func(when string, want float64) {
		t.Helper()
		cents := 0.0
		for _, c := range a.call("GET", "/billing", nil).body["charges"].([]any) {
			cents += c.(object)["amount_cents"].(float64)
		}
		equal(t, when, cents, want)
	}
	id := a.accepted("POST", "/instances", object{"name": "a", "plan": "small", "region": "us-east"}).string("id")
	charged("before the checkout", 0)
	must.Do(t, a.PayCheckout(id))
	charged("first month", 900)
	a.Advance(time.Hour)
	a.done("POST", "/instances/"+id+"/actions/resize", object{"plan": "medium"})
	charged("with the change", 1900)
	a.Advance(31 * 24 * time.Hour)
	charged("second month", 3800)
	a.done("DELETE", "/instances/"+id+"?confirm="+id, nil)
	a.Advance(365 * 24 * time.Hour)
	charged("after the deletion", 3800)
	a.play("", `
		GET /billing?limit=2 => 200 | charges#=2 | charges/0/amount_cents=1900 | subscriptions#=1
		GET /billing?limit=2&cursor=`+a.call("GET", "/billing?limit=2", nil).string("next_cursor")+` => 200 | charges#=1 | subscriptions#=0 | next_cursor=null
		GET /billing?cursor=YWZ0ZXI6LTU => 400 invalid_request
	`) // the last cursor is after:-5
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
	newest := func() string {
		return a.call("GET", path+"/backups", nil).body["backups"].([]any)[0].(object)["id"].(string)
	}
	a.Advance(8*time.Minute + 48*time.Hour)
	daily := newest()
	a.play(path, `
		GET /backups => 200 | backups#=3
		POST /postgres/databases {"name":"later"} => done
		POST /actions/restore {"confirm":"`+id+`","backup_id":"bak-none"} => 422 validation_failed
		POST /actions/restore {"confirm":"i-other","backup_id":"`+daily+`"} => 400 confirm_mismatch
		POST /actions/restore {"confirm":"`+id+`","backup_id":"`+daily+`"} => done
		GET /postgres/databases => 200 | databases#=1
		GET /backups => 200 | backups/0/kind="undo"
	`)
	a.play(path, `
		POST /actions/restore {"confirm":"`+id+`","backup_id":"`+newest()+`"} => done
		GET /postgres/databases => 200 | databases#=2
		POST /actions/reset {"confirm":"`+id+`","engine":"redis"} => 422 validation_failed
		POST /actions/reset {"confirm":"i-other"} => 400 confirm_mismatch
		POST /actions/reset {"confirm":"`+id+`"} => done
		GET /postgres/databases => 200 | databases#=1
		advance 720h
		GET /backups => 200 | backups#=10
	`)
}

func TestResize(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps", "auth")
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Engines["postgres"].MemoryMB = 2000 })
	a.play("/instances/"+id, `
		POST /actions/resize {"plan":"gigantic"} => 422 validation_failed
		POST /actions/resize {"plan":"free"} => 422 validation_failed
		POST /actions/resize {"plan":"medium"} => 422 validation_failed | detail~plan:
		POST /actions/resize {"plan":"large"} => done
		GET . => 200 | plan="large"
	`)
}
