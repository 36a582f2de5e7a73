package fakeservice_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Faults, limits and lag reach the MCP server and the portal as they reach the API.
func TestFaultsReachEveryFace(t *testing.T) {
	t.Parallel()
	a := start(t)
	visitor, agent := fakeservicetest.SignIn(t, a.Server), a.Agent(t)

	for _, row := range []struct{ glob, open string }{
		{"/portal/**", "/portal/plans"},
		{"/portal/profile", "/portal/profile"},
		{"/checkout/*", "/checkout/unknown"},
		{"", "/portal/instances"},
	} {
		a.Inject(fakeservice.Fault{Path: row.glob, Page: http.StatusBadGateway})
		page := visitor.Open(row.open)
		if page.Status != http.StatusBadGateway || !strings.Contains(page.HTML, "nginx") {
			t.Errorf("a fault of %q at %s: got %d, want the gateway's page", row.glob, row.open, page.Status)
		}
		if again := visitor.Open(row.open); again.Status == http.StatusBadGateway {
			t.Errorf("after the fault at %s: got %d, want another status", row.open, again.Status)
		}
	}

	a.Inject(fakeservice.Fault{Path: "/mcp", Page: http.StatusBadGateway})
	if _, err := agent.ListTools(t.Context(), nil); err == nil {
		t.Error("a fault at /mcp: got no error, want one")
	}
	equal(t, "requests in the log of the API", len(a.Requests()), 0)
}

// endpoints returns the number of webhook endpoints.
func endpoints(a *api) int {
	a.t.Helper()
	all, _ := a.want(http.StatusOK, "", "GET", "/webhooks", nil).body["webhooks"].([]any)
	return len(all)
}

// A lost answer of a form and of a tool has had its effect.
func TestLostAnswersOfEveryFace(t *testing.T) {
	t.Parallel()
	a := start(t)
	visitor, agent := fakeservicetest.SignIn(t, a.Server), a.Agent(t)

	page := visitor.Open("/portal/integrations")
	a.Inject(fakeservice.Fault{Method: "POST", Path: "/portal/**", Page: http.StatusGatewayTimeout, AfterCommit: true})
	page.Submit("endpoint", map[string]string{"url": "https://hooks.example.com/portal"})
	equal(t, "endpoints after the form", endpoints(a), 1)

	a.Inject(fakeservice.Fault{Method: "POST", Path: "/mcp", Page: http.StatusGatewayTimeout, AfterCommit: true})
	if _, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_webhook", Arguments: object{"url": "https://hooks.example.com/mcp"}}); err == nil {
		t.Error("create_webhook: got no error, want the lost answer")
	}
	equal(t, "endpoints after the tool", endpoints(a), 2)
}

// A limit counts the requests of all faces together. Sign-in, the files of pages, the
// controls and the health check always answer.
func TestLimitsReachEveryFace(t *testing.T) {
	t.Parallel()
	a := start(t)
	visitor := fakeservicetest.SignIn(t, a.Server)
	a.SetConditions(fakeservice.Conditions{RateLimit: fakeservice.RateLimit{PerSecond: 1e-6, Burst: 2}})
	equal(t, "the API", a.call("GET", "/me", nil).status, http.StatusOK)
	equal(t, "the portal", visitor.Open("/portal/plans").Status, http.StatusOK)
	equal(t, "the portal at the limit", visitor.Open("/portal/plans").Status, http.StatusTooManyRequests)
	equal(t, "the API at the limit", a.call("GET", "/me", nil).status, http.StatusTooManyRequests)
	if _, err := a.Connect(t, fakeservicetest.APIKey); err == nil {
		t.Error("the MCP server at the limit: got no error, want one")
	}

	a.Away(time.Hour, http.StatusServiceUnavailable)
	for _, path := range []string{"/portal/sign-in", "/portal/assets/portal.css", "/healthz"} {
		equal(t, path+" while the service is away", fakeservicetest.Visit(t, a.Server).Open(path).Status, http.StatusOK)
	}
	equal(t, "the controls", a.told("GET", "/weather", "")["weather"], any("calm"))
}

// Reads of the portal lag like those of the API.
func TestPortalLags(t *testing.T) {
	t.Parallel()
	a := start(t)
	visitor := fakeservicetest.SignIn(t, a.Server)
	a.SetConditions(fakeservice.Conditions{Lag: time.Hour})
	a.call("POST", "/webhooks", object{"url": "https://hooks.example.com/new"})
	if page := visitor.Open("/portal/integrations"); strings.Contains(page.HTML, "hooks.example.com/new") {
		t.Error("a page that lags: got the new endpoint, want the moment before")
	}
}
