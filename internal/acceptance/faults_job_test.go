package acceptance

import (
	"fmt"
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
}
