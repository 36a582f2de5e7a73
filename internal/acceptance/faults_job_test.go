package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Faults of jobs and of the polls that watch them.
var jobFaults = []faultRow{
	{10, "a job fails: at creation and at each kind of update", func(t *testing.T) string {
		failed := 0
		for _, c := range asyncCases {
			fake := seededApps(t)
			w := newWorkspaceBeside(t, fake, c.created)
			fake.FailJobs(fakeservice.JobMatch{Operation: c.create}, 1, "trouble", "The "+c.create+" burns")
			r := w.fails("The " + c.create + " burns (trouble): job job-")
			must(t, strings.Contains(r.output, fake.Jobs()[0].ID), "%s: got\n%s\nwant the job's id in it", c.kind, r.output)
			w.apply()
			w.mustBeSettled()
			failed++
			if c.changed != "" {
				fake.FailJobs(fakeservice.JobMatch{Operation: c.update}, 1, "trouble", "the "+c.update+" burns")
				w.configure(c.changed)
				w.fails("The " + c.update + " burns (trouble)")
				w.mustBeKept(c.kind, "test")
				w.apply()
				w.mustBeSettled()
				failed++
			}
			fake.FailJobs(fakeservice.JobMatch{Operation: c.destroy}, 1, "trouble", "The "+c.destroy+" burns")
			r = w.run("destroy", "-auto-approve", "-no-color")
			must(t, r.exit == 1 && strings.Contains(r.output, "The "+c.destroy+" burns (trouble)"), "%s: the destroy: got exit %d, want 1 and the job's error:\n%s", c.kind, r.exit, r.output)
			w.mustBeKept(c.kind, "test")
			r = w.run("destroy", "-auto-approve", "-no-color")
			must(t, r.exit == 0, "%s: the second destroy: got exit %d, want 0:\n%s", c.kind, r.exit, r.output)
			failed++
		}
		return fmt.Sprintf("%d failed jobs shown with id, code and reason; next apply right", failed)
	}},
	{11, "a job that never ends; an unknown status", func(t *testing.T) string {
		for _, pondering := range []bool{false, true} {
			fake := startFake(t)
			release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
			remove := func() {}
			if pondering {
				remove = fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/*", Times: -1, Rewrite: func(job map[string]any) { job["status"] = "pondering" }})
			}
			w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance+"\n  timeouts = { create = \""+soonOver+"\" }"))
			r := w.apply()
			must(t, strings.Contains(r.output, "is still being created") && strings.Contains(r.output, fake.Jobs()[0].ID), "the apply: got\n%s\nwant that the instance is still being created, with the job's id", r.output)
			w.mustBeKept("hosting_instance", "test")
			remove()
			release()
			w.apply()
			w.mustBeSettled()
			must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
		}
		return "2 warnings with the job's id, 2 resumed, 1 POST each"
	}},
	{12, "polls answered by resets, 500, 404, HTML, half JSON", func(t *testing.T) string {
		cases := map[string]func(*testing.T){
			// The service does not know the job. Only the instance's record shows that
			// the job runs.
			"404": func(t *testing.T) {
				fake := startFake(t)
				release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
				fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/*", Times: -1, Status: http.StatusNotFound, Code: "not_found"})
				w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
				apply := w.start("apply", "-auto-approve", "-no-color")
				apply.until("the job is asked for five times", func() bool { return fake.Count("GET", "/jobs/*") > 4 })
				apply.mustRun()
				release()
				r := apply.wait()
				must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
				w.mustBeSettled()
				must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
			},
		}
		for name, fault := range map[string]fakeservice.Fault{
			"resets":    {Drop: true},
			"500":       {Status: http.StatusInternalServerError},
			"HTML":      {Body: []byte("<html>oops"), ContentType: "text/html", Status: http.StatusOK},
			"half JSON": {Truncate: true},
		} {
			cases[name] = func(t *testing.T) {
				fake := startFake(t)
				release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
				fault.Method, fault.Path, fault.Times = "GET", "/jobs/*", 5
				fake.Inject(fault)
				w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
				apply := w.start("apply", "-auto-approve", "-no-color")
				apply.until("a poll is answered after five that were not", func() bool { return wellAnswered(fake, "GET", "/jobs/*") > 0 })
				apply.mustRun()
				release()
				r := apply.wait()
				must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
				w.mustBeSettled()
				must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
			}
		}
		atOnce(t, cases)
		return "4 kinds, 5 in a row each: tolerated, 1 POST each; 404: decided by the instance"
	}},
	{18, "409 from a foreign job; 409 from an unknown code", func(t *testing.T) string {
		fake := seededApps(t)
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "rotate"})
		job, err := fake.StartJob("i-one", "rotate", "")
		must(t, err == nil, "%v", err)
		w := newWorkspaceBeside(t, fake, asyncCases[4].created)
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the foreign job is polled", func() bool { return fake.Count("GET", "/jobs/"+job.ID) > 0 })
		release()
		r := apply.wait()
		must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		must(t, conflicts(fake) == 0 && fake.Count("PUT", "/instances/*/sql-console") == 1, "got %d times 409 and %d PUTs, want none and 1", conflicts(fake), fake.Count("PUT", "/instances/*/sql-console"))

		strange := seededApps(t)
		strange.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/sql-console", Times: -1, Status: http.StatusConflict, Code: "strange", Detail: "not today"})
		newWorkspaceBeside(t, strange, asyncCases[4].created).fails("Not today")
		return "waited for, then 1 PUT; an unknown code without a job: an error once reads cannot lag"
	}},
	{19, "409 already exists", func(t *testing.T) string {
		// The error comes immediately, even while another job runs that would otherwise
		// be waited for.
		fake := seededApps(t)
		fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz"})
		fake.HoldJobs(fakeservice.JobMatch{Operation: "rotate"})
		_, err := fake.StartJob("i-one", "rotate", "")
		must(t, err == nil, "%v", err)
		fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/apps/import", Times: -1, Status: http.StatusConflict, Code: "already_exists", Detail: "there is an app guestbook"})
		app := strings.Replace(asyncCases[1].created, "name =", "timeouts = { create = \""+soonOver+"\" }\nname =", 1)
		newWorkspaceBeside(t, fake, app).fails("already_exists", "add this import block")
		must(t, fake.Count("POST", "/instances/*/apps/import") == 1 && fake.Count("GET", "/jobs/*") == 0,
			"got %d requests and %d polls, want 1 and none", fake.Count("POST", "/instances/*/apps/import"), fake.Count("GET", "/jobs/*"))
		return counts(fake, "POST /instances/*/apps/import")
	}},
}
