package provider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Each of the provider's arguments is tested alone, so that none can be read
// into another's place.
func TestProviderArguments(t *testing.T) {
	fake := startFake(t)
	const account = "\n" + `data "hosting_account" "me" {}`
	run(t,
		refuses(`provider "hosting" {}`+account, "Set base_url in the provider block"),
		refuses(`provider "hosting" { base_url = "`+fake.BaseURL+`" }`+account, "Set api_key in the provider block"),
		refuses("provider \"hosting\" {\n base_url = \"http://hosting.example/api/v1\"\n api_key = \"k\"\n}"+account, "over http the API key would travel in clear"),
		refuses("provider \"hosting\" {\n base_url = \"hosting.example\"\n api_key = \"k\"\n}"+account, "the base URL must be absolute"),
		refuses("provider \"hosting\" {\n base_url = \""+fake.BaseURL+"\"\n api_key = \"wrong-key\"\n}"+account, "Check the API key"),
		refuses(strings.Replace(config(fake, account), "api_key", "request_timeout = \"soon\"\n api_key", 1), `"soon" must be a positive duration`),
		refuses(strings.Replace(config(fake, account), "api_key", "request_timeout = \"0s\"\n api_key", 1), `"0s" must be a positive duration`),
		refuses(strings.Replace(config(fake, account), "api_key", "max_retries = -1\n api_key", 1), `max_retries`),
		resource.TestStep{Config: config(fake, account)},
	)
}

func TestMaxRetriesIsTheNumberOfRetries(t *testing.T) {
	fake := startFake(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/me", Times: -1, Status: http.StatusServiceUnavailable, Code: "unavailable", Detail: "at lunch"})
	configuration := strings.Replace(config(fake, `data "hosting_account" "me" {}`), "api_key", "max_retries = 2\n api_key", 1)
	run(t, refuses(configuration, "The service has trouble at the moment."))
	if n := fake.Count("GET", "/me"); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestRequestTimeoutBoundsARequest(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	run(t, refuses(`
provider "hosting" {
  base_url        = "`+slow.URL+`"
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
	run(t, refuses("provider \"hosting\" {\n base_url = \""+redirecting.URL+"\"\n api_key = \"key\"\n}\ndata \"hosting_account\" \"me\" {}",
		"answered 307 Temporary Redirect"))
	if reached {
		t.Error("the other host was reached")
	}
}
