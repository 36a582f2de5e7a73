package fakeservice_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// control sends a control request. header has pairs of names and values; the name Host
// sets the host.
func (a *api) control(method, path, body string, header ...string) (int, object) {
	a.t.Helper()
	request := must.Get(http.NewRequest(method, a.RootURL+"/_fake"+path, strings.NewReader(body)))(a.t)
	request.Header.Set("Authorization", "Bearer "+a.ControlToken())
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
		request.Header.Set(header[i], header[i+1])
	}
	response := must.Get((&http.Client{Transport: a.transport}).Do(request))(a.t)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(a.t)
	var got object
	if err := json.Unmarshal(text, &got); err != nil {
		a.t.Fatalf("%s %s: got %q, want JSON", method, path, text)
	}
	return response.StatusCode, got
}

// told sends a control request that must succeed.
func (a *api) told(method, path, body string) object {
	a.t.Helper()
	status, got := a.control(method, path, body)
	if status != http.StatusOK {
		a.t.Fatalf("%s /_fake%s: got %d %v, want 200", method, path, status, got)
	}
	return got
}

// Control routes require the token, because apps of instances can reach them on loopback.
func TestControlRoutesWantTheToken(t *testing.T) {
	t.Parallel()
	a := start(t)
	for _, route := range []struct{ method, path string }{{"GET", "/state"}, {"GET", "/mail"}, {"POST", "/reset"}} {
		for name, value := range map[string]string{"none": "", "the API's": "Bearer " + fakeservicetest.APIKey, "another": "Bearer " + a.ControlToken() + "x", "of no kind": a.ControlToken()} {
			if status, got := a.control(route.method, route.path, "", "Authorization", value); status != http.StatusUnauthorized {
				t.Errorf("%s %s with the token %s: got %d %v, want 401", route.method, route.path, name, status, got)
			}
		}
		if status, got := a.control(route.method, route.path, ""); status != http.StatusOK {
			t.Errorf("%s %s: got %d %v, want 200", route.method, route.path, status, got)
		}
	}
	// The API does not accept the control token.
	a.want(401, "unauthorized", "GET", "/plans", nil, "Authorization", "Bearer "+a.ControlToken())
}

func TestControlShowsNoSecrets(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running(allEngines...)
	connection := a.call("GET", "/instances/"+id+"/connection", nil).body["engines"].(object)
	secret := a.call("POST", "/webhooks", object{"url": "https://hooks.example.com", "secret": "hush-hush"}).string("secret")
	for _, path := range []string{"/state", "/left", "/requests", "/jobs", "/events", "/violations"} {
		_, got := a.control("GET", path, "")
		text := must.Get(json.Marshal(got))(t)
		for _, hidden := range []string{
			secret, fakeservicetest.APIKey, connection["auth"].(object)["service_key"].(string), "postgresql://",
		} {
			if strings.Contains(string(text), hidden) {
				t.Errorf("GET /_fake%s: got %q in it, want no secret", path, hidden)
			}
		}
	}
}

func TestControlJobs(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id

	hold := a.told("POST", "/jobs/hold", `{"operation":"update"}`)["hold_id"].(string)
	a.accepted("PATCH", path, object{"name": "held"})
	a.told("POST", "/clock/advance", `{"by":"1h"}`)
	equal(t, "held", a.Jobs()[0].Status, "running")
	equal(t, "released", a.told("POST", "/jobs/release", `{"hold_id":"`+hold+`"}`)["released"], 1.0)
	equal(t, "done", a.Jobs()[0].Status, "done")

	a.told("POST", "/jobs/fail", `{"operation":"update","code":"broken"}`)
	failing := a.accepted("PATCH", path, object{"name": "failed"}).string("job_id")
	a.told("POST", "/jobs/finish", `{"id":"`+failing+`"}`)
	equal(t, "failed", a.Jobs()[1].ErrorCode, "broken")

	a.told("POST", "/jobs/start", `{"instance_id":"`+id+`","operation":"rotate"}`)
	a.want(409, "job_running", "PATCH", path, object{"name": "n"})
	a.told("POST", "/jobs/finish", `{"id":"`+a.Jobs()[2].ID+`"}`)

	a.told("POST", "/builds/hold", ``)
	a.done("POST", path+"/apps/import", guestbook())
	a.told("POST", "/clock/advance", `{"by":"1h"}`)
	shown := a.told("GET", "/jobs", "")
	build := shown["builds"].([]any)[0].(object)
	equal(t, "build", build["status"], any("running"))
	a.told("POST", "/builds/release", "")
	a.told("POST", "/apps/fail", `{"app":"web","status":503,"exited":true,"log":"boom"}`)
	a.done("POST", path+"/apps/web/actions/restart", nil)
	equal(t, "failure", a.call("GET", path+"/apps/web", nil).body["failure"], any(object{"status": 503.0, "exited": true, "log": "boom"}))

	a.told("POST", "/builds/fail", `{"app":"web","log":"boom"}`)
	a.done("POST", path+"/apps/web/actions/redeploy", nil)
	a.told("POST", "/clock/advance", `{"by":"2m"}`)
	equal(t, "build", firstBuild(a, path+"/apps/web")["error"], any("boom"))

	job := a.told("GET", "/jobs", "")["jobs"].([]any)[0].(object)
	for _, field := range []string{"created_at", "started_at", "finished_at", "real_created_at", "real_started_at", "real_finished_at"} {
		if _, err := time.Parse(time.RFC3339, job[field].(string)); err != nil {
			t.Errorf("%s: %s", field, err)
		}
	}

	for _, bad := range []struct{ path, body string }{
		{"/jobs/hold", `{"op":"update"}`},
		{"/jobs/hold", `[]`},
		{"/jobs/release", `{"hold_id":"hold-99"}`},
		{"/jobs/finish", `{"id":"job-none"}`},
		{"/jobs/finish", `{"id":"` + failing + `"}`},
		{"/jobs/start", `{"instance_id":"` + id + `","operation":"dance"}`},
		{"/jobs/start", `{"instance_id":"i-none","operation":"rotate"}`},
		{"/clock/advance", `{"by":"soon"}`},
		{"/clock/advance", `{"by":"-1h"}`},
		{"/checkout/i-none", ``},
		{"/instances/i-none/remove", ``},
		{"/events", `{}`},
		{"/faults", `{"status":99}`},
		{"/faults", `{"delay":"soon"}`},
	} {
		if status, got := a.control("POST", bad.path, bad.body); status != 400 {
			t.Errorf("POST %s %s: got %d %v, want 400", bad.path, bad.body, status, got)
		}
	}
}

func TestControlFaults(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.told("POST", "/faults", `{"method":"GET","path":"/me","status":503,"retry_after":"3","times":-1}`)
	equal(t, "header", a.want(503, "unavailable", "GET", "/me", nil).header.Get("Retry-After"), "3")
	equal(t, "removed", a.told("DELETE", "/faults", "")["removed"], 1.0)
	a.want(200, "", "GET", "/me", nil)

	a.told("POST", "/faults", `{"path":"/me","merge":{"email":null,"extra":{"a":1}}}`)
	got := a.call("GET", "/me", nil).body
	equal(t, "field taken away", got["email"], nil)
	equal(t, "field added", got["extra"], any(object{"a": 1.0}))

	a.told("POST", "/faults", `{"path":"/me","body":"<html>","content_type":"text/html","status":502,"delay":"1ms"}`)
	equal(t, "body", a.call("GET", "/me", nil).text, "<html>")
}

func TestControlStateAndReset(t *testing.T) {
	t.Parallel()
	a := start(t)
	made := a.accepted("POST", "/instances", object{"name": "a", "plan": "small", "region": "us-east", "engines": object{"postgres": true}})
	id := made.string("id")
	a.told("POST", "/checkout/"+id, "")
	a.Advance(8 * time.Minute)
	a.AddDatabase(id, "extra")
	a.AddApp(id, fakeservice.App{Name: "web"})
	a.told("POST", "/events", `{"type":"health_alert","instance_id":"`+id+`"}`)

	shown := a.told("GET", "/state", "")["instances"].([]any)[0].(object)
	equal(t, "status", shown["status"], any("running"))
	equal(t, "databases", shown["databases"], any([]any{"main", "extra"}))
	equal(t, "apps", len(shown["apps"].([]any)), 1)
	equal(t, "requests", len(a.told("GET", "/requests", "")["requests"].([]any)), 1)
	equal(t, "events", len(a.told("GET", "/events", "")["events"].([]any)), 3)
	equal(t, "left", a.told("GET", "/left", "")["total"], 3.0)

	a.told("POST", "/jobs/hold", "")
	a.told("POST", "/reset", "")
	equal(t, "left", a.told("GET", "/left", "")["total"], 0.0)
	equal(t, "requests", len(a.Requests()), 0)
	equal(t, "holds", a.told("POST", "/jobs/release", "")["released"], 0.0)

	gone := a.running("postgres")
	a.told("POST", "/instances/"+gone+"/remove", "")
	a.want(404, "not_found", "GET", "/instances/"+gone, nil)
}

// A control that can never match or apply is refused, and a clock that JSON cannot write.
func TestControlsThatCannotApply(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.AddInstance(fakeservice.Instance{}).ID
	for body, path := range map[string]string{
		`{"operation": "creat"}`:                              "/jobs/hold",
		`{"operation": "creat", "code": "x"}`:                 "/jobs/fail",
		`{"operation": "creat", "instance_id": "` + id + `"}`: "/jobs/start",
		`{"path": "/instances/[", "page": 503}`:               "/faults",
		`{"method": "FETCH", "page": 503}`:                    "/faults",
		`{"drop": true, "status": 503}`:                       "/faults",
		`{"by": "-1h"}`:                                       "/clock/advance",
	} {
		if status, answer := a.raw(http.MethodPost, "/_fake"+path, []byte(body)); status != http.StatusBadRequest {
			t.Errorf("%s with %s: got %d %s, want 400", path, body, status, answer)
		}
	}
	late := start(t, func(o *fakeservice.Options) { o.Start = time.Date(9000, 12, 1, 0, 0, 0, 0, time.UTC) })
	if status, answer := late.raw(http.MethodPost, "/_fake/clock/advance", []byte(`{"by": "8784h"}`)); status != http.StatusBadRequest {
		t.Errorf("a clock beyond the year 9000: got %d %s, want 400", status, answer)
	}
	late.want(http.StatusOK, "", http.MethodGet, "/instances", nil)
}
