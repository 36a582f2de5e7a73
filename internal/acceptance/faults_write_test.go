package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Faults of a service that asks the client to wait.
var writeFaults = []faultRow{
	{20, "Retry-After 0, -1, 86400, a date, junk", func(t *testing.T) string {
		const endpoint = "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}"
		for _, value := range []string{"0", "-1", "junk", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)} {
			fake := startFake(t)
			fake.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Times: 2, Status: http.StatusTooManyRequests, RetryAfter: value})
			newWorkspaceBeside(t, fake, endpoint).apply()
			must(t, fake.Count("POST", "/webhooks") == 3, "%q: got %d POSTs, want 3", value, fake.Count("POST", "/webhooks"))
		}
		// A date months ahead is too long for a resource without timeouts. The fake's clock
		// runs so fast that an hour would be over before a busy machine has started the CLI.
		months := startFake(t)
		months.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Status: http.StatusTooManyRequests, RetryAfter: months.Now().Add(90 * 24 * time.Hour).UTC().Format(http.TimeFormat)})
		newWorkspaceBeside(t, months, endpoint).fails("answered 429 rate_limited")
		must(t, months.Count("POST", "/webhooks") == 1, "a date in the future was not heeded")
		// A number is a minimum wait.
		minimum := startFake(t)
		minimum.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Status: http.StatusTooManyRequests, RetryAfter: "3"})
		newWorkspaceBeside(t, minimum, endpoint).apply()
		var at []time.Time
		for _, request := range minimum.Requests() {
			if request.Method == "POST" {
				at = append(at, request.RealAt)
			}
		}
		must(t, len(at) == 2 && at[1].Sub(at[0]) >= 3*time.Second, "POSTs: got them at %v, want two, 3s apart", at)
		// The service asks for a day, but the apply's timeout takes precedence.
		// TestRetryAfterYieldsToADeadline of the client checks when the apply ends, where
		// a busy machine makes no difference.
		fake := seededApps(t)
		fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/sql-console", Times: -1, Status: http.StatusTooManyRequests, RetryAfter: "86400"})
		newWorkspaceBeside(t, fake, strings.Replace(asyncCases[4].created, "mode = ", "timeouts = { create = \"3s\" }\n mode = ", 1)).fails("the create timeout of 3s is over")
		must(t, fake.Count("PUT", "/instances/*/sql-console") <= 1, "PUTs: got %d, want at most 1", fake.Count("PUT", "/instances/*/sql-console"))
		return "4 values are no wait, a number is a minimum, months are an error, the deadline wins"
	}},
	{21, "429 to ten workers at once", func(t *testing.T) string {
		fake := startFake(t)
		fake.Inject(fakeservice.Fault{Method: "POST", Path: "/webhooks", Times: 10, Status: http.StatusTooManyRequests, RetryAfter: "1"})
		newWorkspaceBeside(t, fake, `
resource "hosting_webhook_endpoint" "test" {
  count = 10
  url   = "https://hooks.example/${count.index}"
}`).apply()
		// A test of the client's limiter checks how the second requests are spread, where
		// a busy machine makes no difference.
		sent, endpoints := 0, map[string]bool{}
		for _, request := range fake.Requests() {
			if request.Method == "POST" {
				sent++
				endpoints[request.Header.Get("Idempotency-Key")] = true
			}
		}
		must(t, sent == 20 && len(endpoints) == 10, "got %d POSTs of %d endpoints, want 20 of 10", sent, len(endpoints))
		return fmt.Sprintf("%d POSTs for 10 endpoints, each refused once and sent once more", sent)
	}},
}
