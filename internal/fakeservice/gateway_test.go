package fakeservice_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// inMemory runs a test with a fake without a socket, in a bubble in which the fake, the
// gateway and the test use the same time.
func inMemory(t *testing.T, test func(*testing.T, *api)) {
	t.Helper()
	// Values that are computed once per process must not belong to the bubble.
	must.Do(t, fakeservice.New(fakeservice.Options{}).Close())
	synctest.Test(t, func(t *testing.T) {
		service := fakeservice.New(fakeservice.Options{APIKey: fakeservicetest.APIKey})
		defer func() {
			if err := service.Close(); err != nil {
				t.Error(err)
			}
			equal(t, "violations", len(service.Violations()), 0)
		}()
		server := &fakeservicetest.Server{Service: service, BaseURL: "http://localhost/api/v1", RootURL: "http://localhost"}
		test(t, &api{Server: server, t: t, transport: gateway.Transport{Handler: service}})
	})
}

// made is the body of a request for an instance.
var made = object{"name": "box", "plan": "free", "region": "eu-central", "engines": object{"postgres": true}}

// The client has its answer long before the service processes the request. The log has
// the request once.
func TestLateCommit(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.Inject(fakeservice.Fault{Method: "POST", Page: 504, CommitAfter: 40 * time.Second})
		got := a.call("POST", "/instances", made)
		equal(t, "status", got.status, 504)
		equal(t, "Content-Type", got.header.Get("Content-Type"), "text/html")
		equal(t, "late", a.LateRequests(), 1)
		time.Sleep(40*time.Second - time.Millisecond)
		equal(t, "instances before", len(a.Instances()), 0)
		equal(t, "served before", a.Requests()[0].Served, 0)
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		equal(t, "instances after", len(a.Instances()), 1)
		equal(t, "requests", a.Count("POST", "/instances"), 1)
		entry := a.Requests()[0]
		equal(t, "entry", []any{entry.Status, entry.Served, entry.Fault}, []any{504, 202, true})
		equal(t, "late", a.LateRequests(), 0)
	})
}

// A late request from before a reset is never processed.
func TestLateCommitAndReset(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.Inject(fakeservice.Fault{CommitAfter: 40 * time.Second})
		a.call("POST", "/instances", made)
		a.Reset()
		time.Sleep(time.Hour)
		equal(t, "instances", len(a.Instances()), 0)
	})
}

// A late request is checked against the API document; an answer of the gateway is not.
func TestViolationBehindTheGateway(t *testing.T) {
	t.Parallel()
	a := &api{Server: serveWithViolations(t, 1), t: t}
	a.Inject(fakeservice.Fault{Page: 418})
	a.call("POST", "/webhooks", newHook)
	a.Inject(fakeservice.Fault{CommitAfter: time.Hour})
	a.call("POST", "/webhooks", object{"address": "https://hooks.example.com"})
	equal(t, "violations before", len(a.Violations()), 0)
	equal(t, "delivered", a.DeliverLate(), 1)
}

func TestAwayKeepsEverything(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.accepted("POST", "/instances", made)
		a.Away(time.Minute, 502)
		equal(t, "status", a.call("GET", "/me", nil).status, 502)
		equal(t, "told beside the API", a.told("GET", "/state", "")["instances"].([]any)[0].(object)["name"], any("box"))
		a.Away(8*time.Minute, 0)
		if got, err := a.try("GET", "/me", nil); err == nil {
			t.Errorf("the service while it is away: got %d, want an error", got.status)
		}
		time.Sleep(8*time.Minute + time.Second)
		equal(t, "status", a.call("GET", "/instances", nil).body["instances"].([]any)[0].(object)["status"], any("running"))
	})
}

// The Date header is the fake's time plus the gateway's offset.
func TestDateOffset(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.Advance(24 * time.Hour)
		a.SetConditions(fakeservice.Conditions{DateOffset: 5 * time.Second})
		at := must.Get(http.ParseTime(a.call("GET", "/me", nil).header.Get("Date")))(t)
		equal(t, "offset", at.Sub(a.Now().Truncate(time.Second)), 5*time.Second)
	})
}

func TestStrikeAtTheService(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.told("GET", "/left", "") // not a request to the API
	var numbers []int
	a.SetFaultFunc(func(n int, r *http.Request) *fakeservice.Fault {
		numbers = append(numbers, n)
		if r.Method == "POST" {
			return &fakeservice.Fault{Drop: true, After: func() { equal(t, "endpoints", len(a.Webhooks()), 1) }}
		}
		return nil
	})
	a.want(200, "", "GET", "/me", nil)
	if _, err := a.try("POST", "/webhooks", newHook); err == nil {
		t.Error("a dropped answer: got an answer, want an error")
	}
	a.Reset()
	a.want(201, "", "POST", "/webhooks", newHook)
	equal(t, "numbers", numbers, []int{1, 2})
}

func TestControlGateway(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.told("POST", "/faults", `{"method":"GET","page":404,"for":"20s"}`)
		equal(t, "within", a.call("GET", "/me", nil).text, "default backend - 404")
		time.Sleep(20 * time.Second)
		a.want(200, "", "GET", "/me", nil)

		a.told("POST", "/faults", `{"method":"POST","drop":true,"commit_after":"1h"}`)
		if _, err := a.try("POST", "/webhooks", newHook); err == nil {
			t.Error("a dropped answer: got an answer, want an error")
		}
		equal(t, "late", a.told("GET", "/late", "")["late"], any(1.0))
		equal(t, "delivered", a.told("POST", "/late/deliver", "")["delivered"], any(1.0))
		entry := a.told("GET", "/requests", "")["requests"].([]any)[2].(object)
		equal(t, "entry", []any{entry["status"], entry["served"]}, []any{0.0, 201.0})

		a.told("POST", "/faults", `{"path":"/me","break_off":true}`)
		if got, err := a.try("GET", "/me", nil); err == nil {
			t.Errorf("a body that breaks off: got %s, want an error", got.text)
		}
		a.told("POST", "/faults", `{"method":"GET","path":"/webhooks","lag":"10s"}`)
		a.call("POST", "/webhooks", newHook)
		equal(t, "read that lags", len(a.call("GET", "/webhooks", nil).body["webhooks"].([]any)), 1)
		equal(t, "read after it", len(a.call("GET", "/webhooks", nil).body["webhooks"].([]any)), 2)

		conditions := object{"date_offset": "5s", "lag": "10s", "latency": "20ms", "rate_limit": object{"per_second": 0.5, "burst": 1.0}}
		equal(t, "put", a.told("PUT", "/conditions", `{"date_offset":"5s","lag":"10s","latency":"20ms","rate_limit":{"per_second":0.5,"burst":1}}`), conditions)
		equal(t, "got", a.told("GET", "/conditions", ""), conditions)
		a.want(200, "", "GET", "/me", nil)
		a.want(429, "rate_limited", "GET", "/me", nil)
		equal(t, "put back", a.told("PUT", "/conditions", "{}")["lag"], any("0s"))
		a.want(200, "", "GET", "/me", nil)

		a.told("POST", "/away", `{"for":"30s","page":503}`)
		equal(t, "away", a.call("GET", "/me", nil).status, 503)
		a.told("POST", "/away", `{"for":"0s"}`)
		a.want(200, "", "GET", "/me", nil)

		for _, bad := range []struct{ method, path, body string }{
			{"POST", "/faults", `{"page":200}`},
			{"POST", "/faults", `{"commit_after":"late"}`},
			{"POST", "/faults", `{"commit_after":40}`},
			{"POST", "/away", `{"for":"30s","page":99}`},
			{"POST", "/away", `{"for":"-30s"}`},
			{"PUT", "/conditions", `{"lag":"-1s"}`},
			{"PUT", "/conditions", `{"latency":"-1s"}`},
			{"PUT", "/conditions", `{"lags":"1s"}`},
			{"PUT", "/conditions", `{"rate_limit":{"per_second":-1}}`},
		} {
			if status, got := a.control(bad.method, bad.path, bad.body); status != 400 {
				t.Errorf("%s %s %s: got %d %v, want 400", bad.method, bad.path, bad.body, status, got)
			}
		}
	})
}
