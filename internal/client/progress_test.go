package client

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

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
			"GET /instances/i/apps/web/builds": inTurn(says(200, build("building")), says(200, build("building")), says(200, build("failed"))),
			"GET /instances/i/apps/web":        says(200, object{"name": "web", "status": "failed"}),
		}.Serve, func(o *Options) {
			o.Progress = func(_ context.Context, message string, fields map[string]any) {
				told = append(told, fmt.Sprint(message, " ", fields))
			}
		})
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpResize, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.WaitDeployed(t.Context(), "i", "web", "b-1", AppRunning); !isAs[*BuildError](err) {
			t.Fatal(err)
		}
		want := []string{
			"waiting for a job map[instance_id:i job_id:j-1 operation:resize status:queued]",
			"waiting for a job map[instance_id:i job_id:j-1 operation:resize progress:10 status:running]",
			"waiting for a job map[instance_id:i job_id:j-1 operation:resize progress:60 status:running at (secret)]",
			"waiting for a job map[instance_id:i job_id:j-1 operation:resize progress:100 status:done]",
			"waiting for a build map[app:web build_id:b-1 instance_id:i status:building]",
			"waiting for a build map[app:web build_id:b-1 instance_id:i status:failed]",
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("wanted (-) and told (+):\n%s", diff)
		}
	})
}
