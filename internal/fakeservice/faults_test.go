package fakeservice_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// newHook is the body of a request for a webhook endpoint, a POST without a job.
var newHook = object{"url": "https://hooks.example.com"}

func TestFaultAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		fault   fakeservice.Fault
		status  int
		code    string
		made    int // number of endpoints afterwards
		matches func(answer) bool
	}{
		{"status", fakeservice.Fault{Status: 503}, 503, "unavailable", 0, nil},
		{"status after commit", fakeservice.Fault{Status: 502, AfterCommit: true}, 502, "unavailable", 1, nil},
		{"own code and detail", fakeservice.Fault{Status: 409, Code: "odd", Detail: "because"}, 409, "odd", 0,
			func(got answer) bool { return got.string("detail") == "because" }},
		{"retry after", fakeservice.Fault{Status: 429, RetryAfter: "7"}, 429, "rate_limited", 0,
			func(got answer) bool { return got.header.Get("Retry-After") == "7" }},
		{"HTML", fakeservice.Fault{Status: 502, Body: []byte("<html>"), ContentType: "text/html"}, 502, "", 0,
			func(got answer) bool { return got.text == "<html>" && got.header.Get("Content-Type") == "text/html" }},
		{"other JSON after commit", fakeservice.Fault{Body: []byte(`{"x":1}`), AfterCommit: true}, 201, "", 1,
			func(got answer) bool { return got.text == `{"x":1}` }},
		{"truncated", fakeservice.Fault{Truncate: true}, 201, "", 1,
			func(got answer) bool { return got.body == nil && strings.HasPrefix(got.text, "{") }},
		{"huge", fakeservice.Fault{BodySize: 3 << 20}, 200, "", 0,
			func(got answer) bool { return len(got.text) == 3<<20 }},
		{"rewritten", fakeservice.Fault{Rewrite: func(body map[string]any) { delete(body, "id"); body["new"] = true }}, 201, "", 1,
			func(got answer) bool { return got.body["id"] == nil && got.body["new"] == true }},
		{"delay only", fakeservice.Fault{Delay: time.Millisecond}, 201, "", 1, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := start(t)
			row.fault.Method, row.fault.Path = "POST", "/webhooks"
			a.Inject(row.fault)
			got := a.want(row.status, row.code, "POST", "/webhooks", newHook)
			if row.matches != nil && !row.matches(got) {
				t.Errorf("the answer: got %s %v, want the form of the fault %+v", got.text[:min(len(got.text), 200)], got.header, row.fault)
			}
			equal(t, "endpoints", len(a.Webhooks()), row.made)
			equal(t, "mark in the log", a.Requests()[0].Fault, true)
			// The fault acts once.
			a.want(201, "", "POST", "/webhooks", newHook)
		})
	}
}

func TestDroppedConnections(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		after bool
		made  int
	}{{"before the commit", false, 0}, {"after the commit", true, 1}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := start(t)
			a.Inject(fakeservice.Fault{Method: "POST", Drop: true, AfterCommit: row.after})
			if got, err := a.try("POST", "/webhooks", newHook); err == nil {
				t.Fatalf("a dropped answer: got %d, want an error", got.status)
			}
			equal(t, "endpoints", len(a.Webhooks()), row.made)
			equal(t, "status in the log", a.Requests()[0].Status, 0)
		})
	}
}

func TestFaultsCount(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.Inject(fakeservice.Fault{Path: "/plans", Skip: 1, Times: 2, Status: 500})
	remove := a.Inject(fakeservice.Fault{Path: "/me", Times: -1, Status: 500})
	var plans, me []int
	for range 4 {
		plans = append(plans, a.call("GET", "/plans", nil).status)
		me = append(me, a.call("GET", "/me", nil).status)
	}
	equal(t, "skip and times", plans, []int{200, 500, 500, 200})
	equal(t, "always", me, []int{500, 500, 500, 500})
	remove()
	a.want(200, "", "GET", "/me", nil)
}

func TestFaultPaths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		glob, path string
		want       bool
	}{
		{"", "/instances", true},
		{"/instances", "/instances", true},
		{"/instances", "/instances/i-1", false},
		{"/instances/*", "/instances/i-1", true},
		{"/instances/*", "/instances/i-1/apps", false},
		{"/instances/*/apps/import", "/instances/i-1/apps/import", true},
		{"/instances/**", "/instances/i-1/apps/import", true},
		{"/instances/**", "/instances", false},
		{"/**", "/me", true},
		{"/jobs/job-*", "/jobs/job-1", true},
		{"/jobs/[", "/jobs/[", false},
	} {
		service := fakeservice.New(fakeservice.Options{APIKey: fakeservicetest.APIKey})
		service.Inject(fakeservice.Fault{Path: row.glob, Status: 418})
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, httptest.NewRequest("GET", "http://localhost/api/v1"+row.path, nil))
		equal(t, row.glob+" and "+row.path, recorder.Code == 418, row.want)
		equal(t, "count of "+row.glob+" and "+row.path, service.Count("GET", row.glob) == 1, row.want)
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A delayed request whose client gives up before it is served has no effect.
func TestDelayedRequestThatIsGivenUp(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.Inject(fakeservice.Fault{Delay: time.Hour})
	client := &http.Client{Timeout: 50 * time.Millisecond}
	request := must.Get(http.NewRequest("POST", a.BaseURL+"/webhooks", strings.NewReader(`{"url":"https://hooks.example.com"}`)))(t)
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	request.Header.Set("Content-Type", "application/json")
	if response, err := client.Do(request); err == nil {
		response.Body.Close()
		t.Fatal("a dropped answer: got an answer, want an error")
	}
	equal(t, "endpoints", len(a.Webhooks()), 0)
}

// Close ends delays, so that a server can stop.
func TestCloseEndsDelays(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.Inject(fakeservice.Fault{Delay: time.Hour, AfterCommit: true})
	done := make(chan error, 1)
	go func() {
		_, err := a.try("POST", "/webhooks", newHook)
		done <- err
	}()
	machine.Until(t, "the request is on its way", func() bool { return len(a.Webhooks()) > 0 })
	must.Do(t, a.Close())
	if err := <-done; err != nil {
		t.Errorf("the answer did not come: %s", err)
	}
}
