package diagnostics

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

func TestUnfinished(t *testing.T) {
	timeout := &lifetime.TimeoutError{Operation: "create", Limit: time.Hour}
	missing := &client.MissingJobError{InstanceID: "i-1", JobID: "job-1"}
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"interrupted in a wait": {&client.InterruptedError{What: "job job-1 (create)", JobID: "job-1", Err: lifetime.ErrInterrupted},
			"Stopped waiting for job job-1 (create): interrupted.\n\nThe app is in the state and not tainted, and the service continues with it. Apply again to wait for it."},
		"interrupted before it": {lifetime.ErrInterrupted,
			"Interrupted.\n\nThe app is in the state and not tainted, and the service continues with it. Apply again to wait for it."},
		"timeout": {&client.InterruptedError{What: "job job-1 (create)", JobID: "job-1", Err: timeout},
			"Stopped waiting for job job-1 (create): the create timeout of 1h is over.\n\nThe app is in the state and not tainted, and the service continues with it. Apply again to wait for it. " +
				`If 1h is too short, set a longer timeout, such as timeouts = { create = "2h" }.`},
		"missing job": {missing,
			"The service does not know job job-1 of instance i-1, so what became of it is unknown.\n\nThe app is in the state and not tainted. The next plan reads it again, and creates it again if it is gone."},
		"not found": {errors.Join(missing, fmt.Errorf("app web: %w", client.ErrNotFound)),
			"The service does not know job job-1 of instance i-1, so what became of it is unknown\napp web: not found\n\nThe app is in the state and not tainted. The next plan reads it again, and creates it again if it is gone."},
		"refused key": {fmt.Errorf("GET /jobs/job-1: %w", client.ErrUnauthorized),
			"GET /jobs/job-1: unauthorized.\n\nCheck api_key or HOSTING_API_KEY; keys are created on the portal's Access page.\n\nThe app is in the state and not tainted. The next apply waits for it."},
	} {
		if got := Unfinished("The app", row.err); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
