package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Faults of the network, and of a service that goes away and comes back.
var networkFaults = []faultRow{
	{54, "every other answer breaks off in the middle", func(t *testing.T) string {
		fake, sql := startRecorded(t)
		var mu sync.Mutex
		seen, broken := map[string]int{}, 0
		fake.SetFaultFunc(func(_ int, r *http.Request) *fakeservice.Fault {
			if strings.HasSuffix(r.URL.Path, "/query") {
				return nil // a statement is never sent twice
			}
			mu.Lock()
			defer mu.Unlock()
			request := r.Method + r.URL.Path
			if seen[request]++; seen[request]%2 == 0 {
				return nil
			}
			broken++
			return &fakeservice.Fault{BreakOff: true}
		})
		w := newWorkspaceBeside(t, fake, "") // a front would close the connection instead
		w.write("main.tf", everyType(t, "after"))
		w.apply()
		w.mustBeSettled()
		w.destroysAll(fake)
		must(t, fake.Count("POST", "/instances") == 1 && fake.Count("POST", "/webhooks") == 1 && len(sql.statements()) == 2,
			"got %d creations, %d endpoints and %d statements, want 1, 1 and 2", fake.Count("POST", "/instances"), fake.Count("POST", "/webhooks"), len(sql.statements()))
		return fmt.Sprintf("%d of %d answers broken, %d types made once and destroyed", broken, len(fake.Requests()), len(managedTypes(t)))
	}},
	{55, "the service is away for 60 s during a wait", func(t *testing.T) string {
		cases := map[string]func(*testing.T){}
		for name, page := range map[string]int{"503": http.StatusServiceUnavailable, "connections closed": 0} {
			cases[name] = func(t *testing.T) {
				fake := startFake(t)
				release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
				w := newWorkspaceBeside(t, keyless(t, fake), instanceHCL(plainInstance))
				apply := w.start("apply", "-auto-approve", "-no-color")
				apply.until("the creation's job is polled", func() bool { return wellAnswered(fake, "GET", "/jobs/*") > 0 })
				fake.Away(time.Minute, page)
				polls := wellAnswered(fake, "GET", "/jobs/*")
				release()
				machine.Until(t, "the service is back", func() bool { return wellAnswered(fake, "GET", "/jobs/*") > polls || !apply.runs() })
				r := apply.wait()
				must(t, r.exit == 0 && !strings.Contains(r.output, "is still being created"), "the apply: got exit %d, want 0 and no creation that continues:\n%s", r.exit, r.output)
				must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
				w.mustBeSettled()
			}
		}
		atOnce(t, cases)
		return "by pages and by closed connections: waited out, 1 POST each"
	}},
	{57, "Ctrl-C when the network dies during POST /instances", func(t *testing.T) string {
		fake := startFake(t)
		silent := fakeservice.Fault{Delay: time.Hour, Drop: true, Times: -1}
		fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", AfterCommit: true, Drop: true, Delay: time.Hour, After: func() { fake.Inject(silent) }})
		// A request may take an hour here, so only the grace period after Ctrl-C can end
		// the run. TestInterruptWithADeadNetwork of the client checks how long that
		// takes.
		w := newWorkspaceBeside(t, keyless(t, fake), "provider \"hosting\" {\n request_timeout = \"1h\"\n}\n"+instanceHCL(plainInstance))
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the creation has arrived", func() bool { return len(fake.Instances()) == 1 })
		apply.signal(syscall.SIGINT)
		r := apply.wait()
		must(t, r.exit == 1, "the apply: got exit %d, want 1:\n%s", r.exit, r.output)
		must(t, strings.Contains(r.output, "it is unknown whether the service carried it out"), "the apply: got\n%s\nwant what is unknown in it", r.output)
		must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
		return "ended by itself, told as unknown, " + counts(fake, "POST /instances")
	}},
}
