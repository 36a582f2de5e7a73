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
			must.Report(t, service.Close())
			equal(t, "violations", len(service.Violations()), 0)
		}()
		server := &fakeservicetest.Server{Service: service, BaseURL: "http://localhost/api/v1", RootURL: "http://localhost"}
		test(t, &api{Server: server, t: t, transport: gateway.Transport{Handler: service}})
	})
}

// made is the body of a request for an instance.
var made = object{"name": "box", "plan": "free", "region": "eu-central", "engines": object{"postgres": true}}

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
