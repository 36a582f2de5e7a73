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
		a.play("", `
			fake GET /late => 200 | late=1
			fake POST /late/deliver => 200 | delivered=1
			fake GET /requests => 200 | requests/2/status=0 | requests/2/served=201
			fake POST /faults {"path":"/me","break_off":true} => 200
		`)
		if got, err := a.try("GET", "/me", nil); err == nil {
			t.Errorf("a body that breaks off: got %s, want an error", got.text)
		}
		a.play("", `
			fake POST /faults {"method":"GET","path":"/webhooks","lag":"10s"} => 200
			POST /webhooks {"url":"https://hooks.example.com"} => 201
			GET /webhooks => 200 | webhooks#=1
			GET /webhooks => 200 | webhooks#=2
			fake PUT /conditions {"date_offset":"5s","lag":"10s","latency":"20ms","rate_limit":{"per_second":0.5,"burst":1}} => 200 | latency="20ms"
			fake GET /conditions => 200 | date_offset="5s" | lag="10s" | latency="20ms" | rate_limit={"per_second":0.5,"burst":1}
			GET /me => 200
			GET /me => 429 rate_limited
			fake PUT /conditions {} => 200 | lag="0s"
			GET /me => 200
			fake POST /away {"for":"30s","page":503} => 200
			GET /me => 503
			fake POST /away {"for":"0s"} => 200
			GET /me => 200
			fake POST /faults {"page":200} => 400
			fake POST /faults {"commit_after":"late"} => 400
			fake POST /faults {"commit_after":40} => 400
			fake POST /away {"for":"30s","page":99} => 400
			fake POST /away {"for":"-30s"} => 400
			fake PUT /conditions {"lag":"-1s"} => 400
			fake PUT /conditions {"latency":"-1s"} => 400
			fake PUT /conditions {"lags":"1s"} => 400
			fake PUT /conditions {"rate_limit":{"per_second":-1}} => 400
		`)
	})
}
