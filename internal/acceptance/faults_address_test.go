package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Faults of an address or a key that does not belong to the service.
var addressFaults = []faultRow{
	{58, "a base URL of a dead host or of something else", func(t *testing.T) string {
		cases := map[string]func(*testing.T){}
		for name, address := range strangers(t) {
			cases[name] = func(t *testing.T) {
				fake, _ := startRecorded(t)
				w := newWorkspaceBeside(t, fake, "")
				w.write("main.tf", everyType(t, "after"))
				w.apply()
				before := w.read("terraform.tfstate")
				url := address
				if strings.HasPrefix(url, "/") {
					url = fake.RootURL + url
				}
				w.env = append(w.env, "HOSTING_BASE_URL="+url)
				// Neither the refresh nor the checks work there, and one error says so.
				refresh := w.plansElsewhere(url)
				must(t, refresh.exit == 1 && strings.Contains(refresh.output, "HOSTING_BASE_URL"), "the refresh: got exit %d, want 1 and HOSTING_BASE_URL in the error:\n%s", refresh.exit, refresh.output)
				creation := elsewhere(t, url, instanceHCL(plainInstance)).plansElsewhere(url)
				must(t, creation.exit == 1 && strings.Contains(creation.output, "HOSTING_BASE_URL") && strings.Count(creation.output, "Error: ") == 1, "the plan: got exit %d, want 1 and one error with HOSTING_BASE_URL:\n%s", creation.exit, creation.output)
				// All reads share one limit for waiting without an answer.
				// TestDeadHostEndsAPlan of the client checks how long a plan then takes.
				for _, plan := range []result{refresh, creation} {
					must(t, name != "silence" || strings.Contains(plan.output, "the service has not answered for 20s"), "the plan: got\n%s\nwant its end by the outage", plan.output)
				}
				must(t, w.read("terraform.tfstate") == before && len(fake.Instances()) == 2 && fake.Count("DELETE", "**") == 0, "the state has changed, or an instance is gone")
			}
		}
		atOnce(t, cases)
		return fmt.Sprintf("%d addresses, each named by 2 plans, state untouched", len(cases))
	}},
}

// plansElsewhere runs a plan at an address that is not the service's. The output must
// name the address.
func (w *workspace) plansElsewhere(url string) result {
	w.t.Helper()
	r := w.run("plan", "-no-color")
	must(w.t, strings.Contains(r.output, url), "the address is not named:\n%s", r.output)
	return r
}

// strangers returns addresses at which something other than the service answers, or
// nothing. An address that begins with a slash is a path on the fake.
func strangers(t *testing.T) map[string]string {
	t.Helper()
	addresses := map[string]string{
		"nobody listens": "http://" + reserveAddress(t) + "/api/v1",
		"another path":   "/other/api/v1",
	}
	for name, handle := range map[string]http.HandlerFunc{
		"silence":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"HTML 200": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><h1>It works!</h1></html>") },
		"JSON 200": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"message":"welcome"}`) },
		"their 404": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "default backend - 404", http.StatusNotFound)
		},
		"their 403": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "forbidden", http.StatusForbidden) },
	} {
		server := httptest.NewServer(handle)
		t.Cleanup(server.Close)
		addresses[name] = server.URL + "/api/v1"
	}
	return addresses
}
