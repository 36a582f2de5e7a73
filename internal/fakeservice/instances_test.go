package fakeservice_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestCreationTakesEightMinutes(t *testing.T) {
	t.Parallel()
	a := start(t)
	made := a.accepted("POST", "/instances", object{
		"name": "guestbook", "plan": "free", "region": "eu-central",
		"engines": object{"postgres": true, "apps": true, "auth": true}, "tags": []string{"x"},
	})
	id, job := made.string("id"), made.string("job_id")
	a.check("POST", made, []string{`status="creating"`, `checkout_url=null`})
	a.play("", `
		advance 4m
		GET /jobs/`+job+` => 200 | status="running" | progress=50
		GET /instances/`+id+` => 200 | job_id="`+job+`" | host=null
		GET /instances/`+id+`/connection => 409 job_running
		PATCH /instances/`+id+` {"name":"other"} => 409 job_running
		DELETE /instances/`+id+`?confirm=`+id+` => 409 job_running
		advance 4m
		GET /jobs/`+job+` => 200 | status="done" | progress=100
		GET /instances/`+id+` => 200 | status="running" | job_id=null | activity#=2
	`)
	ended := a.Jobs()[0]
	equal(t, "length", ended.FinishedAt.Sub(ended.StartedAt), 8*time.Minute)
}

func TestCreationRefuses(t *testing.T) {
	t.Parallel()
	a := start(t)
	good := func(change object) object {
		body := object{"name": "a", "plan": "free", "region": "eu-central"}
		for name, value := range change {
			body[name] = value
		}
		return body
	}
	for field, change := range map[string]object{
		"name":         {"name": ""},
		"plan":         {"plan": "gigantic"},
		"tier":         {"tier": "small"},
		"region":       {"region": "moon"},
		"tags":         {"tags": []string{""}},
		"engines.auth": {"engines": object{"auth": true, "postgres": true}},
	} {
		got := a.want(422, "validation_failed", "POST", "/instances", good(change))
		if !strings.HasPrefix(got.string("detail"), field+":") {
			t.Errorf("the detail about %s: got %q, want one that begins with the field", field, got.string("detail"))
		}
	}
	for _, change := range []object{
		{"name": strings.Repeat("a", 101)},
		{"name": "a\x1b[2J"},
		{"tags": []string{"a\r\nb"}},
		{"tags": []string{strings.Repeat("a", 65)}},
		{"tags": slices.Repeat([]string{"a"}, 65)},
	} {
		a.want(422, "validation_failed", "POST", "/instances", good(change))
	}
	equal(t, "instances", len(a.Instances()), 0)
}

func TestPaidPlanWaitsForItsCheckout(t *testing.T) {
	t.Parallel()
	a := start(t)
	made := a.accepted("POST", "/instances", object{"name": "paid", "plan": "small", "region": "eu-north"})
	id, checkout := made.string("id"), made.string("checkout_url")
	a.check("the creation", made, []string{"checkout_url~" + a.RootURL + "/checkout/"})
	a.play("", `
		advance 24h
		GET /jobs/`+made.string("job_id")+` => 200 | status="queued"
		GET /instances/`+id+` => 200 | checkout_url="`+checkout+`"
	`)
	for _, method := range []string{"HEAD", "PUT", "DELETE"} {
		status, header, _ := send(t, must.Get(http.NewRequest(method, checkout, nil))(t))
		equal(t, method+" of the checkout", status, http.StatusMethodNotAllowed)
		equal(t, "what is allowed", header.Get("Allow"), "GET, POST")
	}
	equal(t, "subscription before it is opened", subscriptionOf(a, id), "pending")
	for _, title := range []string{"Thank you", "This checkout is finished"} {
		if page := a.page(checkout); !strings.Contains(page, title) {
			t.Errorf("the page of the checkout: got %s, want %q in it", page, title)
		}
	}
	equal(t, "subscription", subscriptionOf(a, id), "active")
	a.play("/instances/"+id, `
		GET . => 200 | checkout_url=null | status="creating"
		advance 8m
		GET . => 200 | status="running"
		DELETE ?confirm=`+id+` => done
	`)
	equal(t, "subscription", subscriptionOf(a, id), "cancelled")
}

func TestDeletingCancelsAnOpenCheckout(t *testing.T) {
	t.Parallel()
	a := start(t)
	made := a.accepted("POST", "/instances", object{"name": "paid", "plan": "small", "region": "eu-north"})
	id := made.string("id")
	path := "/instances/" + id
	a.play("", `
		DELETE `+path+`?confirm=other => 400 confirm_mismatch
		DELETE `+path+`?confirm=`+id+` => 202
		GET `+path+` => 200 | status="deleting"
		GET /jobs/`+made.string("job_id")+` => 200 | status="failed"
		DELETE `+path+`?confirm=`+id+` => 409 job_running
	`)
	if err := a.PayCheckout(id); err == nil {
		t.Error("PayCheckout of a deleted instance: got no error, want one")
	}
	a.play(path, `
		advance 30s
		GET . => 404 not_found
	`)
	equal(t, "subscription", subscriptionOf(a, id), "cancelled")
}

// While a machine is failed, its records show that nothing runs. After the repair they
// are the same as before.
func TestMachineBreaksAndIsRepaired(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps", "auth")
	path := "/instances/" + id
	become := func(status string) {
		a.EditInstance(id, func(in *fakeservice.Instance) { in.Status = status })
	}
	before, connection := a.call("GET", path, nil), a.call("GET", path+"/connection", nil)
	become("failed")
	a.play(path, `
		GET . => 200 | status="failed" | host="`+before.string("host")+`" | monitoring/healthy=false | usage={"cpu_percent":0,"memory_mb":0,"disk_gb":0}
		GET . => 200 | engines/postgres/status="failed" | engines/apps/status="failed" | engines/auth/status="failed"
		PATCH . {"name":"b"} => 409 not_running
	`)
	become("running")
	after := a.call("GET", path, nil)
	for _, field := range []string{"status", "host", "engines", "usage"} {
		equal(t, field+" after the repair", after.body[field], before.body[field])
	}
	equal(t, "connection after the repair", a.call("GET", path+"/connection", nil).body, connection.body)
	a.play(path, `PATCH . {"name":"b"} => done`)
}

// An instance whose failed creation is repaired is like any other.
func TestFailedCreationIsRepaired(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "No machine is free.")
	id := a.done("POST", "/instances", object{"name": "a", "tier": "free", "region": "us-east", "engines": object{"postgres": true}}).string("id")
	path := "/instances/" + id
	a.want(404, "not_found", "GET", path+"/connection", nil)
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Status = "running" })
	record := a.call("GET", path, nil)
	if record.string("host") == "" {
		t.Errorf("the repaired instance: got %s, want it with a host", record.text)
	}
	a.play(path, `
		GET . => 200 | status="running"
		GET /connection => 200 | host="`+record.string("host")+`"
		GET /postgres/databases => 200 | databases#=1
	`)
}

// An instance whose deletion has failed has its earlier status again.
func TestFailedDeletionBringsTheStatusBack(t *testing.T) {
	t.Parallel()
	a := start(t)
	for _, status := range []string{"running", "failed"} {
		id := a.AddInstance(fakeservice.Instance{Status: status}).ID
		path := "/instances/" + id
		a.FailJobs(fakeservice.JobMatch{InstanceID: id, Operation: "delete"}, 1, "stuck", "The disk is busy.")
		deletion := a.accepted("DELETE", path+"?confirm="+id, nil)
		a.play("", `
			GET `+path+` => 200 | status="deleting"
			advance 30s
			GET /jobs/`+deletion.string("job_id")+` => 200 | status="failed" | error={"code":"stuck","detail":"The disk is busy."}
			GET `+path+` => 200 | status="`+status+`" | job_id=null
			DELETE `+path+`?confirm=`+id+` => done
			GET `+path+` => 404 not_found
		`)
	}
}

func TestPaging(t *testing.T) {
	t.Parallel()
	a := start(t)
	var want []string
	for n := range 7 {
		want = append(want, a.AddInstance(fakeservice.Instance{Name: fmt.Sprint(n)}).ID)
	}
	var got []string
	cursor := ""
	for range want {
		page := a.call("GET", "/instances?limit=3&cursor="+cursor, nil)
		for _, in := range page.body["instances"].([]any) {
			got = append(got, in.(object)["id"].(string))
		}
		if cursor = page.string("next_cursor"); cursor == "" {
			break
		}
		// The next page continues at the same place even if instances were deleted in
		// between.
		a.RemoveInstance(want[2])
	}
	equal(t, "ids of all pages", got, want)
	for _, query := range []string{"limit=0", "limit=201", "cursor=nonsense"} {
		a.want(400, "invalid_request", "GET", "/instances?"+query, nil)
	}
}

// subscriptionOf returns the status of an instance's subscription.
func subscriptionOf(a *api, id string) string {
	a.t.Helper()
	for _, s := range a.call("GET", "/billing", nil).body["subscriptions"].([]any) {
		if s := s.(object); s["instance_id"] == id {
			return s["status"].(string)
		}
	}
	return ""
}
