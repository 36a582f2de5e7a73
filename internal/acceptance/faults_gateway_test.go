package acceptance

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Faults of a gateway that gives up before the service does, for requests that must not
// be carried out twice. The service in these rows ignores the Idempotency-Key.
var gatewayFaults = []faultRow{
	{33, "504 to the creation, committed 4 s later", func(t *testing.T) string { return committedLater(t, 4*time.Second) }},
	{34, "504 to the creation, committed 40 s later", func(t *testing.T) string { return committedLater(t, 40*time.Second) }},
	{36, "another state makes an equal instance at that moment", func(t *testing.T) string {
		atOnce(t, map[string]func(*testing.T){
			"no answer lost": func(t *testing.T) {
				fake, one, other := twoCreations(t)
				ids := map[any]bool{}
				for w, r := range map[*workspace]result{one.w: one.wait(), other.w: other.wait()} {
					must(t, r.exit == 0 && !strings.Contains(r.output, "did not exist before"), "an apply: got exit %d, want 0 and no adoption:\n%s", r.exit, r.output)
					ids[w.mustBeKept("hosting_instance", "test").Attributes["id"]] = true
				}
				must(t, len(ids) == 2 && len(fake.Instances()) == 2 && fake.Count("POST", "/instances") == 2, "got %d ids of %d instances after %d POSTs, want 2 of 2 after 2", len(ids), len(fake.Instances()), fake.Count("POST", "/instances"))
			},
			// Two new instances match the request.
			"an answer lost": func(t *testing.T) {
				fake, one, other := twoCreations(t, fakeservice.Fault{AfterCommit: true, Drop: true})
				results := []result{one.wait(), other.wait()}
				slices.SortFunc(results, func(a, b result) int { return a.exit - b.exit })
				must(t, results[0].exit == 0 && results[1].exit == 1, "the applies: got exits %d and %d, want 0 and 1:\n%s", results[0].exit, results[1].exit, results[1].output)
				for _, i := range fake.Instances() {
					must(t, strings.Contains(results[1].output, importBlockOf(i.ID)), "the second apply: got\n%s\nwant an import block of %s", results[1].output, i.ID)
				}
				must(t, len(fake.Instances()) == 2 && fake.Count("POST", "/instances") == 2, "got %d instances after %d POSTs, want 2 after 2", len(fake.Instances()), fake.Count("POST", "/instances"))
			},
			// The other state's instance cannot be distinguished from the requested one,
			// so a warning names it.
			"a request lost": func(t *testing.T) {
				fake, one, other := twoCreations(t, fakeservice.Fault{Page: http.StatusBadGateway})
				warnings := 0
				id := ""
				for w, r := range map[*workspace]result{one.w: one.wait(), other.w: other.wait()} {
					must(t, r.exit == 0, "an apply: got exit %d, want 0:\n%s", r.exit, r.output)
					id = onlyInstance(t, fake)
					must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] == id, "another id is in the state")
					if strings.Contains(r.output, "Instance "+id+" did not exist before") {
						warnings++
					}
				}
				must(t, warnings == 1 && fake.Count("POST", "/instances") == 2, "got %d warnings and %d POSTs, want 1 and 2", warnings, fake.Count("POST", "/instances"))
			},
		})
		return "2 POSTs each: 2 machines in 2 states; 1 error with both import blocks; 1 warning that names the machine"
	}},
}

// committedLater makes a gateway give up on a creation that the service carries out after
// a delay.
func committedLater(t *testing.T, after time.Duration) string {
	fake := startFake(t)
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", CommitAfter: after})
	w := newWorkspaceBeside(t, keyless(t, fake), instanceHCL(plainInstance))
	w.mustHaveAdopted(fake, w.apply())
	return "1 instance, adopted by name with a warning, " + counts(fake, "POST /instances")
}

// A creation is a running apply and its workspace.
type creation struct {
	*started
	w *workspace
}

// twoCreations starts two applies of equal instances, each with a separate state. Both
// list the existing instances before either creates one. The faults affect the first
// creation that arrives. Its client gets an answer only when the other client's instance
// exists.
func twoCreations(t *testing.T, faults ...fakeservice.Fault) (fake *fakeservicetest.Server, one, other creation) {
	t.Helper()
	fake = startFake(t)
	meet, made := rendezvous(t, 2), make(chan struct{})
	first := fakeservice.Fault{}
	if len(faults) > 0 {
		first = faults[0]
	}
	first.Method, first.Path = "POST", "/instances"
	first.Before = meet
	await := func() {
		select {
		case <-made:
		case <-t.Context().Done():
		}
	}
	if first.Page == 0 {
		first.After = await
	} else { // the page replaces the service's answer
		first.Before = func() { meet(); await() }
	}
	fake.Inject(first)
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", Skip: 1, Before: meet, After: func() { close(made) }})
	before := keyless(t, fake)
	start := func() creation {
		w := newWorkspaceBeside(t, before, instanceHCL(plainInstance))
		return creation{w.start("apply", "-auto-approve", "-no-color"), w}
	}
	return fake, start(), start()
}

// rendezvous returns a function that blocks until it has been called n times.
func rendezvous(t *testing.T, n int64) func() {
	var come atomic.Int64
	all := make(chan struct{})
	return func() {
		if come.Add(1) == n {
			close(all)
		}
		select {
		case <-all:
		case <-t.Context().Done():
		}
	}
}
