package provider

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// inTurn enters an instance's queue and runs what changes it. The timeout
// starts at the head of the queue: standing in line behind slow siblings takes
// nothing off it.
func inTurn(ctx context.Context, c *client.Client, instanceID string, timeout time.Duration, change func(context.Context, *client.Turn) error) error {
	turn, err := c.Enter(ctx, instanceID)
	if err != nil {
		return err
	}
	defer turn.Leave()
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	return change(client.WithGracePeriod(ctx), turn)
}

// pendingWork is what a Create or Update set going and did not see the end of.
// It is kept in the resource's private state, so that the next apply waits for
// the same job and build.
type pendingWork struct {
	Job   string `json:"job,omitempty"`
	Build string `json:"build,omitempty"`
	// Creating tells that the resource never worked yet: found failed, it is
	// replaced.
	Creating bool `json:"creating,omitempty"`
	// Deploying tells that a build is to be seen deployed, the newest one when
	// Build is not known: the answer that named it may have been lost.
	Deploying bool `json:"deploying,omitempty"`
	// Noted are the ids of the builds that were there before a redeploy was first
	// asked for.
	Noted []string `json:"noted,omitempty"`
	// Triggers are the redeploy_triggers that the redeploy was asked for by.
	Triggers string `json:"triggers,omitempty"`
	// Failed tells that the creation was seen to fail, so that nothing has run.
	Failed bool `json:"failed,omitempty"`
	// Protected tells that a creation that failed left deletion_protection null.
	// It comes back if something runs after all.
	Protected bool `json:"protected,omitempty"`
	// Switches are the engines that a creation turned on; the others and the
	// budgets are set after it.
	Switches map[string]bool `json:"switches,omitempty"`
}

// unfinished tells whether there is anything to see the end of.
func (w pendingWork) unfinished() bool { return w.Job != "" || w.Deploying || w.Creating }

const pendingKey = "pending"

// awaitLeft waits for the job that an earlier apply left behind. Where its id is
// not known, or the service does not know the job any more, the records decide
// what is still to be done.
func awaitLeft(ctx context.Context, turn *client.Turn, work pendingWork, operation string) error {
	if work.Job == "" {
		return nil
	}
	err := turn.Wait(ctx, client.Pending{JobID: work.Job}, operation)
	if missing := (*client.MissingJobError)(nil); errors.As(err, &missing) {
		return nil
	}
	return err
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// savePrivate keeps a value in a resource's private state.
func savePrivate(ctx context.Context, private privateWriter, key string, value any, diags *diag.Diagnostics) {
	encoded, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to save private state", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, key, encoded)...)
}

// pendingCreation tells whether private state notes a creation that was not seen
// to its end.
func pendingCreation(ctx context.Context, private privateReader, diags *diag.Diagnostics) bool {
	work, _ := loadPrivate[pendingWork](ctx, private, pendingKey, diags)
	return work.Creating
}

// creationFailed is the work of a creation that failed, and the deletion_protection
// that its state is left with. Terraform taints it, and does not hand the private
// state of a tainted object to Delete: null tells Delete that the provider took the
// protection off, and that it has to look whether anything has run since.
func (w pendingWork) creationFailed(protection types.Bool) (pendingWork, types.Bool) {
	if w.Failed, w.Protected = true, isProtected(protection); !w.Protected {
		return w, protection
	}
	return w, protectionAfterFailure(false)
}

// wasUnprotected tells whether the provider took the protection off. It is null then;
// in a state that was imported and not read yet, the status is null too.
func wasUnprotected(protection types.Bool, status types.String) bool {
	return protection.IsNull() && !status.IsNull()
}

// protectionAfterFailure is the deletion_protection of something protected whose
// creation has failed: it comes back once it has run after all.
func protectionAfterFailure(ran bool) types.Bool {
	if ran {
		return types.BoolValue(true)
	}
	return types.BoolNull()
}

// clearPending notes that nothing is pending any more.
func clearPending(ctx context.Context, private privateWriter, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, pendingKey, nil)...)
}

// loadPrivate reads a value from a resource's private state; false when there is
// none.
func loadPrivate[T any](ctx context.Context, private privateReader, key string, diags *diag.Diagnostics) (T, bool) {
	var value T
	raw, found := private.GetKey(ctx, key)
	diags.Append(found...)
	if len(raw) == 0 || string(raw) == "null" {
		return value, false
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		diags.AddError("Unable to read private state", err.Error())
		return value, false
	}
	return value, true
}

// inProgress tells whether the job that makes a resource is still in progress,
// or cannot be asked about. Until then the service does not show the resource. It is asked
// before the resource is read: where the job ends while the resource is confirmed to be
// absent, the reads may have been of the time before.
func (b *resourceBase) inProgress(ctx context.Context, id string) bool {
	if id == "" {
		return false
	}
	job, err := b.client.Job(ctx, id)
	if err != nil {
		return !errors.Is(err, client.ErrNotFound)
	}
	return !job.Done() && !job.Failed()
}

// planning reads the state and the plan that a ModifyPlan is asked about; nil
// for what is not there. It is false after an error.
func planning[M any](ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) (state, plan *M, ok bool) {
	if !req.State.Raw.IsNull() {
		diags.Append(req.State.Get(ctx, &state)...)
	}
	switch {
	case req.Plan.Raw.IsNull():
	case state != nil && req.Plan.Raw.Equal(req.State.Raw):
		same := *state // reading it again is a twentieth of the time of a plan
		plan = &same
	default:
		diags.Append(req.Plan.Get(ctx, &plan)...)
	}
	return state, plan, !diags.HasError()
}
