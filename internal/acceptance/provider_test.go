package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Each of the provider's arguments is tested alone, so that a test fails if one is read
// in place of another.
func TestProviderArguments(t *testing.T) {
	fake := startFake(t)
	const account = "\n" + `data "hosting_account" "me" {}`
	run(t,
		refuses(`provider "hosting" {}`+account, "Set base_url in the provider block"),
		refuses(`provider "hosting" { base_url = "`+fake.BaseURL+`" }`+account, "Set api_key in the provider block"),
		refuses("provider \"hosting\" {\n base_url = \"http://hosting.example/api/v1\"\n api_key = \"k\"\n}"+account, "http would send the API key unencrypted"),
		refuses("provider \"hosting\" {\n base_url = \"hosting.example\"\n api_key = \"k\"\n}"+account, "the base URL must be absolute"),
		refuses("provider \"hosting\" {\n base_url = \""+fake.BaseURL+"\"\n api_key = \"wrong-key\"\n}"+account, "Check api_key or HOSTING_API_KEY"),
		refuses(strings.Replace(config(fake, account), "api_key", "request_timeout = \"soon\"\n api_key", 1), `"soon"`),
		refuses(strings.Replace(config(fake, account), "api_key", "request_timeout = \"0s\"\n api_key", 1), `request_timeout "0s" is not positive`),
		refuses(strings.Replace(config(fake, account), "api_key", "request_timeout = \"-1m\"\n api_key", 1), `request_timeout "-1m" is not positive`),
		refuses(strings.Replace(config(fake, account), "api_key", "max_retries = -1\n api_key", 1), `max_retries`),
		refuses(strings.Replace(config(fake, account), "api_key", "requests_per_second = 0\n api_key", 1), `requests_per_second`),
		refuses("provider \"hosting\" {\n base_url = \""+fake.BaseURL+"?\"\n api_key = \"k\"\n}"+account, "the base URL must not contain a query or a fragment, not even an empty one"),
		refuses("provider \"hosting\" {\n base_url = \""+fake.RootURL+"\"\n api_key = \"k\"\n}"+account, "the base URL must end in /api/v1"),
		refuses("provider \"hosting\" {\n base_url = \""+fake.RootURL+"/api/v2\"\n api_key = \"k\"\n}"+account, "the base URL must end in /api/v1"),
		refuses("provider \"hosting\" {\n base_url = \""+fake.BaseURL+"\"\n api_key = \"key\\n\"\n}"+account, "a key read from a file often ends in a newline"),
		resource.TestStep{Config: config(fake, account)},
	)
}

func TestMaxRetriesIsTheNumberOfRetries(t *testing.T) {
	fake := startFake(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/me", Times: -1, Status: http.StatusServiceUnavailable, Code: "unavailable", Detail: "at lunch"})
	configuration := strings.Replace(config(fake, `data "hosting_account" "me" {}`), "api_key", "max_retries = 2\n api_key", 1)
	run(t, refuses(configuration, "The service is unavailable at the moment."))
	if n := fake.Count("GET", "/me"); n != 3 {
		t.Errorf("requests: got %d, want 3", n)
	}
}

func TestRequestTimeoutBoundsARequest(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	run(t, refuses(`
provider "hosting" {
  base_url        = "`+slow.URL+`/api/v1"
  api_key         = "key"
  max_retries     = 0
  request_timeout = "50ms"
}
data "hosting_account" "me" {}`, "the request timed out"))
}

// A redirect is not followed, so that the key reaches no other host.
func TestRedirectsAreNotFollowed(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	redirecting := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirecting.Close)
	run(t, refuses("provider \"hosting\" {\n base_url = \""+redirecting.URL+"/api/v1\"\n api_key = \"key\"\n}\ndata \"hosting_account\" \"me\" {}",
		"answered 307 Temporary Redirect"))
	if reached {
		t.Error("the other host was reached")
	}
}

// The limit applies to all requests of a run together, whatever their resource.
func TestRequestsPerSecondIsACeiling(t *testing.T) {
	fake := startFake(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central", Engines: map[string]*fakeservice.Engine{}})
	const perSecond, reads = 2, 9
	configuration := strings.Replace(config(fake, `data "hosting_backups" "each" {
  count       = %d
  instance_id = "i-one"
}`, reads), "api_key", fmt.Sprintf("requests_per_second = %d\n api_key", perSecond), 1)
	// A request may arrive late, so the time is measured from the start of the first run
	// of the CLI. The last read cannot have been sent before the minimum time after it.
	var began time.Time
	run(t, resource.TestStep{Config: configuration, PreConfig: func() { began = time.Now() }})
	requests := fake.Requests()
	if len(requests) < reads {
		t.Fatalf("requests: got %d, want %d at least", len(requests), reads)
	}
	if took := requests[reads-1].RealAt.Sub(began); took < (reads-1)*time.Second/perSecond {
		t.Errorf("the time of %d requests at %d per second: got %s, want %s at least", reads, perSecond, took, (reads-1)*time.Second/perSecond)
	}
}
