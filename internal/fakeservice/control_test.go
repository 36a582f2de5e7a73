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
	response, err := (&http.Client{Transport: a.transport}).Do(request)
	must.Do(a.t, err)
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
	a.play(path, `
		fake POST /jobs/hold {"operation":"update"} => 200 | hold_id="hold-1"
		PATCH . {"name":"held"} => 202
		fake POST /clock/advance {"by":"1h"} => 200
		fake GET /jobs => 200 | jobs/0/status="running"
		fake POST /jobs/release {"hold_id":"hold-1"} => 200 | released=1
		fake GET /jobs => 200 | jobs/0/status="done"
		fake POST /jobs/fail {"operation":"update","code":"broken"} => 200
	`)
	failing := a.accepted("PATCH", path, object{"name": "failed"}).string("job_id")
	a.told("POST", "/jobs/finish", `{"id":"`+failing+`"}`)
	equal(t, "failed", a.Jobs()[1].ErrorCode, "broken")
	a.told("POST", "/jobs/start", `{"instance_id":"`+id+`","operation":"rotate"}`)
	a.want(409, "job_running", "PATCH", path, object{"name": "n"})
	a.told("POST", "/jobs/finish", `{"id":"`+a.Jobs()[2].ID+`"}`)
	a.play(path, `
		fake POST /builds/hold => 200
		POST /apps/import {"repo":"owner/guestbook","branch":"main","name":"web","port":3000} => done
		fake POST /clock/advance {"by":"1h"} => 200
		fake GET /jobs => 200 | builds/0/status="running"
		fake POST /builds/release => 200
		fake POST /apps/fail {"app":"web","status":503,"exited":true,"log":"boom"} => 200
		POST /apps/web/actions/restart => done
		GET /apps/web => 200 | failure={"status":503,"exited":true,"log":"boom"}
		fake POST /builds/fail {"app":"web","log":"boom"} => 200
		POST /apps/web/actions/redeploy => done
		fake POST /clock/advance {"by":"2m"} => 200
		GET /apps/web/builds => 200 | builds/0/error="boom"
	`)
	job := a.told("GET", "/jobs", "")["jobs"].([]any)[0].(object)
	for _, field := range []string{"created_at", "started_at", "finished_at", "real_created_at", "real_started_at", "real_finished_at"} {
		must.Get(time.Parse(time.RFC3339, job[field].(string)))(t)
	}
	a.play(path, `
		fake POST /jobs/hold {"op":"update"} => 400
		fake POST /jobs/hold [] => 400
		fake POST /jobs/release {"hold_id":"hold-99"} => 400
		fake POST /jobs/finish {"id":"job-none"} => 400
		fake POST /jobs/finish {"id":"`+failing+`"} => 400
		fake POST /jobs/start {"instance_id":"`+id+`","operation":"dance"} => 400
		fake POST /jobs/start {"instance_id":"i-none","operation":"rotate"} => 400
		fake POST /clock/advance {"by":"soon"} => 400
		fake POST /clock/advance {"by":"-1h"} => 400
		fake POST /checkout/i-none => 400
		fake POST /instances/i-none/remove => 400
		fake POST /events {} => 400
		fake POST /faults {"status":99} => 400
		fake POST /faults {"delay":"soon"} => 400
	`)
}

func TestControlFaults(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.told("POST", "/faults", `{"method":"GET","path":"/me","status":503,"retry_after":"3","times":-1}`)
	equal(t, "header", a.want(503, "unavailable", "GET", "/me", nil).header.Get("Retry-After"), "3")
	a.play("", `
		fake DELETE /faults => 200 | removed=1
		GET /me => 200
		fake POST /faults {"path":"/me","merge":{"email":null,"extra":{"a":1}}} => 200
		GET /me => 200 | email=null | extra={"a":1}
		fake POST /faults {"path":"/me","body":"<html>","content_type":"text/html","status":502,"delay":"1ms"} => 200
	`)
	equal(t, "body", a.call("GET", "/me", nil).text, "<html>")
}

func TestControlStateAndReset(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.accepted("POST", "/instances", object{"name": "a", "plan": "small", "region": "us-east", "engines": object{"postgres": true}}).string("id")
	a.told("POST", "/checkout/"+id, "")
	a.Advance(8 * time.Minute)
	a.AddDatabase(id, "extra")
	a.AddApp(id, fakeservice.App{Name: "web"})
	a.play("", `
		fake POST /events {"type":"health_alert","instance_id":"`+id+`"} => 200
		fake GET /state => 200 | instances/0/status="running" | instances/0/databases=["main","extra"] | instances/0/apps#=1
		fake GET /requests => 200 | requests#=1
		fake GET /events => 200 | events#=3
		fake GET /left => 200 | total=3
		fake POST /jobs/hold => 200
		fake POST /reset => 200
		fake GET /left => 200 | total=0
		fake GET /requests => 200 | requests#=0
		fake POST /jobs/release => 200 | released=0
	`)
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
