package client

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The end of a creation is reported, too, if its job is missing and its instance runs.
func TestEndOfAMissingJobIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		c, _ := newTestClient(t, script{
			"GET /jobs/j-1":    inTurn(says(200, object{"id": "j-1", "instance_id": "i", "operation": OpCreate, "status": "running", "progress": 40}), says(404, object{"code": "not_found", "detail": "there is no such job"})),
			"GET /instances/i": says(200, object{"id": "i", "status": "running"}),
		}.Serve, func(o *Options) {
			o.Progress = func(_ context.Context, p Progress) {
				told = append(told, fmt.Sprintf("%s %s: done %t", p.Operation, p.JobID, p.Done))
			}
		})
		must.Do(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpCreate, nil))
		if diff := cmp.Diff([]string{"create j-1: done false", "create j-1: done true"}, told); diff != "" {
			t.Errorf("the progress (-want +got):\n%s", diff)
		}
	})
}

// Each state of a job or build is reported once, up to the last state, and without
// secrets.
func TestStatesOfWaitsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := func(status string, percent int) object {
			return object{"id": "j-1", "instance_id": "i", "operation": OpResize, "status": status, "progress": percent}
		}
		build := func(status string) object {
			return object{"builds": []object{{"id": "b-1", "status": status}}}
		}
		var told []string
		c, _ := newTestClient(t, script{
			"GET /jobs/j-1": inTurn(says(200, job("queued", 0)), says(200, job("running", 10)), says(200, job("running", 10)),
				says(200, job("running at key-of-the-test", 60)), says(200, job("done", 100))),
			"GET /instances/i/apps/web/builds": inTurn(says(200, build("building")), says(200, build("building")), says(200, object{"builds": []object{{"id": "b-1", "status": "failed", "error": "step 1\nno space for canary-of-the-app\n"}}})),
			"GET /instances/i/apps/web":        says(200, object{"name": "web", "status": "failed", "env": object{"TOKEN": "canary-of-the-app"}}),
		}.Serve, func(o *Options) {
			o.Progress = func(_ context.Context, p Progress) {
				left := "no estimate"
				if !p.EstimatedEnd.IsZero() {
					left = "an estimate"
				}
				told = append(told, fmt.Sprintf("%s %s%s: %s, done %t, failed %t, %d %%, %s %s", p.Operation, p.JobID, p.BuildID, p.Status, p.Done, p.Failed, p.Percent, left, p.LogLine))
			}
		})
		must.Do(t, c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpResize, nil))
		if err := c.WaitDeployed(t.Context(), "i", "web", "b-1", AppRunning); !isAs[*BuildError](err) {
			t.Fatalf("WaitDeployed: got error %v, want a *BuildError", err)
		}
		want := []string{
			"resize j-1: queued, done false, failed false, 0 %, no estimate ",
			"resize j-1: running, done false, failed false, 10 %, an estimate ",
			"resize j-1: running at (secret), done false, failed false, 60 %, an estimate ",
			"resize j-1: done, done true, failed false, 100 %, no estimate ",
			"build b-1: building, done false, failed false, 0 %, no estimate ",
			"build b-1: failed, done false, failed true, 0 %, no estimate no space for (secret)",
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("the progress (-want +got):\n%s", diff)
		}
	})
}
