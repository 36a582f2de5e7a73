package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Faults of reads.
var readFaults = []faultRow{
	{14, "404 or 410 later: passing, contradicted, true", func(t *testing.T) string {
		const endpoint = "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}"
		cases := map[string]func(*testing.T){}
		for _, status := range []int{http.StatusNotFound, http.StatusGone} {
			gone := fakeservice.Fault{Method: "GET", Path: "/webhooks/*", Status: status, Code: "not_found"}
			cases[fmt.Sprint(status, " once")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.apply()
				fake.Inject(gone)
				w.mustBeSettled()
				must(t, fake.Count("GET", "/webhooks/*") >= 2, "looks at the endpoint: got %d, want at least 2", fake.Count("GET", "/webhooks/*"))
			}
			cases[fmt.Sprint(status, " though it is listed")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.apply()
				before := w.read("terraform.tfstate")
				fake.Inject(always(gone))
				w.fails("but is in the list", "stays in the state")
				must(t, w.read("terraform.tfstate") == before, "the state changed")
			}
			cases[fmt.Sprint(status, " and removed")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.program = true // its looks are 15 s apart
				w.apply()
				fake.RemoveWebhook(fake.Webhooks()[0].ID)
				fake.Inject(always(gone))
				r := w.run("plan", "-no-color")
				must(t, r.exit == 0 && strings.Contains(r.output, "hosting_webhook_endpoint.test will be created") && strings.Contains(r.output, "is gone"), "the plan: got exit %d, want 0 and a creation of the endpoint that is gone:\n%s", r.exit, r.output)
				var at []time.Time
				for _, request := range fake.Requests() {
					if request.Method == "GET" && request.Status == status {
						at = append(at, request.RealAt)
					}
				}
				must(t, len(at) == 2 && at[1].Sub(at[0]) >= 14*time.Second, "looks at the endpoint: got them at %v, want two, 14s apart", at)
			}
		}
		atOnce(t, cases)
		return "2 kept after a passing one, 2 errors while listed, 2 removed with a warning after 2 looks 15 s apart"
	}},
	{15, "401, 403 and 500 on read", func(t *testing.T) string {
		fake := seededApps(t)
		var body strings.Builder
		for _, c := range asyncCases {
			body.WriteString(c.created + "\n")
		}
		w := newWorkspaceBeside(t, fake, body.String()+"\nresource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}")
		w.apply()
		before := w.read("terraform.tfstate")
		errors, others := 0, 0
		for _, status := range []int{401, 403, 500} {
			inject := func(paths ...string) (remove func()) {
				var removes []func()
				for _, path := range paths {
					removes = append(removes, fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Status: status}))
				}
				return func() {
					for _, remove := range removes {
						remove()
					}
				}
			}
			// First all requests fail, then one kind at a time: the record, and its list
			// if it has one.
			for _, paths := range [][]string{{""}, {"/webhooks/*"}, {"/instances/i-one"}, {"/instances/*/apps", "/instances/*/apps/*"}, {"/instances/*/postgres/databases"}} {
				remove := inject(paths...)
				r := w.run("apply", "-auto-approve", "-no-color")
				must(t, r.exit == 1, "%d of %q: got exit %d, want 1:\n%s", status, paths, r.exit, r.output)
				remove()
				errors++
			}
			// A list only saves requests. If it fails, each record is read separately.
			remove := inject("/instances/*/apps", "/instances")
			w.mustBeSettled()
			remove()
			others++
		}
		must(t, w.read("terraform.tfstate") == before, "the state changed")
		w.mustBeSettled()
		return fmt.Sprintf("%d errors with %d resources, state kept to the byte; %d lists alone: read without", errors, len(asyncCases)+1, others)
	}},
}

// always returns a fault that never ends.
func always(f fakeservice.Fault) fakeservice.Fault {
	f.Times = -1
	return f
}
