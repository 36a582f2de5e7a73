package acceptance

import (
	"fmt"
	"strings"
	"testing"
)

func TestWebhookEndpointOfAURLThatExists(t *testing.T) {
	endpoint := func(name, url string) string {
		return fmt.Sprintf("resource \"hosting_webhook_endpoint\" %q {\n  url = %q\n}\n", name, url)
	}
	const there = "has the same URL"
	fake := startFake(t)
	w := newWorkspace(t, fake, endpoint("one", "https://HOOKS.example/foreign"))
	newWorkspaceBeside(t, fake, endpoint("foreign", "https://hooks.example/foreign")).apply()
	w.says(0, []string{there, fake.Webhooks()[0].ID}, "plan")
	must(t, len(fake.Webhooks()) == 1, "the plan has made an endpoint")

	w.configure(endpoint("one", "https://hooks.example/a"))
	w.apply()
	w.configure(endpoint("one", "https://hooks.example/foreign")) // a change of the URL
	w.says(0, []string{there}, "plan")

	// A replacement is planned in two calls, and an endpoint that does not change is not
	// checked.
	w.configure(endpoint("one", "https://hooks.example/a"))
	for _, args := range [][]string{{"plan"}, {"plan", "-replace=hosting_webhook_endpoint.one"}, {"apply", "-auto-approve", "-replace=hosting_webhook_endpoint.one"}} {
		r := w.run(append(args, "-no-color")...)
		must(t, r.exit == 0 && !strings.Contains(r.output, there), "%v: got exit %d, want 0 and no warning:\n%s", args, r.exit, r.output)
	}
}
