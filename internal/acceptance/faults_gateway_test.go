package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Faults of a gateway that gives up before the service does, for requests that must not
// be carried out twice. The service in these rows ignores the Idempotency-Key.
var gatewayFaults = []faultRow{
	{33, "504 to the creation, committed 4 s later", func(t *testing.T) string { return committedLater(t, 4*time.Second) }},
	{34, "504 to the creation, committed 40 s later", func(t *testing.T) string { return committedLater(t, 40*time.Second) }},
	{35, "the gateway's clock is 5 s off, the answer lost", func(t *testing.T) string {
		cases := map[string]func(*testing.T){}
		for name, offset := range map[string]time.Duration{"ahead": 5 * time.Second, "behind": -5 * time.Second} {
			cases[name] = func(t *testing.T) {
				// The fake runs in real time, so that five seconds matter.
				fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = 1 })
				fake.SetDuration("create", time.Second)
				fake.SetConditions(fakeservice.Conditions{DateOffset: offset})
				fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances", AfterCommit: true, Page: http.StatusGatewayTimeout})
				w := newWorkspaceBeside(t, keyless(t, fake), instanceHCL(plainInstance))
				w.mustHaveAdopted(fake, w.apply())
			}
		}
		atOnce(t, cases)
		return "ahead and behind: 1 instance, 1 POST, adopted by name with a warning"
	}},
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
	{37, "a database's own late commit answers 409", func(t *testing.T) string {
		const database = "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n deletion_protection = false\n}"
		sent := map[string]int{}
		var mu sync.Mutex
		cases := map[string]func(*testing.T){}
		for _, refusal := range []string{"job_running", "already_exists"} {
			cases[refusal] = func(t *testing.T) {
				fake := seededApps(t)
				release := func() {}
				if refusal == "job_running" {
					release = fake.HoldJobs(fakeservice.JobMatch{Operation: "database_create"})
				}
				const path = "/instances/*/postgres/databases"
				fake.Inject(fakeservice.Fault{Method: "POST", Path: path, CommitAfter: time.Hour})
				// The first request is committed when the second one arrives.
				fake.Inject(fakeservice.Fault{Method: "POST", Path: path, Skip: 1, Before: func() {
					fake.DeliverLate()
					if refusal == "already_exists" {
						_ = fake.FinishJob(fake.Jobs()[0].ID) // unless it has ended already
					}
				}})
				w := newWorkspaceBeside(t, keyless(t, fake), database)
				apply := w.start("apply", "-auto-approve", "-no-color")
				if refusal == "job_running" {
					machine.Until(t, "its own job is waited for", func() bool { return fake.Count("GET", "/jobs/*") > 1 })
				}
				release()
				r := apply.wait()
				must(t, r.exit == 0, "an apply: got exit %d, want 0:\n%s", r.exit, r.output)
				w.mustBeKept("hosting_postgres_database", "test")
				w.mustBeSettled()
				must(t, jobsOf(fake, "database_create") == 1 && conflicts(fake) == 1, "got %d jobs and %d times 409, want 1 of each", jobsOf(fake, "database_create"), conflicts(fake))
				mu.Lock()
				defer mu.Unlock()
				sent[refusal] = fake.Count("POST", path)
			}
		}
		atOnce(t, cases)
		return fmt.Sprintf("1 database each; %d POSTs with job_running, %d with already_exists: our own", sent["job_running"], sent["already_exists"])
	}},
	{38, "reset of postgres, then of redis that never arrives", func(t *testing.T) string {
		needs(t, providerActions)
		fake := startFake(t)
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central",
			Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "redis": {MemoryMB: 256}}})
		const path = "/instances/*/actions/reset"
		fake.Inject(fakeservice.Fault{Method: "POST", Path: path, Skip: 1, Page: http.StatusBadGateway})
		reset := func(engine string) string {
			return fmt.Sprintf("action \"hosting_instance_reset\" %[1]q {\n config {\n  instance_id = \"i-one\"\n  confirm = \"i-one\"\n  engine = %[1]q\n  timeouts = { invoke = \"40s\" }\n }\n}\n", engine)
		}
		w := newWorkspaceBeside(t, keyless(t, fake), reset("postgres")+reset("redis")+`
resource "terraform_data" "release" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.hosting_instance_reset.postgres, action.hosting_instance_reset.redis]
    }
  }
}`)
		r := w.fails("answered 502", "it is unknown whether the service carried it out", "Check in the portal whether it was carried out")
		must(t, strings.Count(r.output, "(reset) is accepted.") == 1 && !strings.Contains(r.output, "has carried out reset"), "the apply: got\n%s\nwant one reset reported as done", r.output)
		must(t, jobsOf(fake, "reset") == 1 && fake.Count("POST", path) == 2, "got %d resets after %d POSTs, want 1 after 2", jobsOf(fake, "reset"), fake.Count("POST", path))
		return "1 reset done, 1 told as unknown, " + counts(fake, "POST "+path)
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
