package base

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// InTurn waits for its turn in an instance's queue, and then runs change. The timeout
// starts with the turn, so waiting behind slow siblings does not count.
func InTurn(ctx context.Context, c *client.Client, instanceID string, timeout time.Duration, change func(context.Context, *client.Turn) error) error {
	turn, err := c.Enter(ctx, instanceID)
	if err != nil {
		return err
	}
	defer turn.Leave()
	ctx, cancel := WithTimeout(ctx, timeout)
	defer cancel()
	return change(lifetime.WithGracePeriod(ctx), turn)
}

// PendingWork describes the creation of an instance or a database whose end was not seen. It is
// kept in the resource's private state, so that the next apply waits for the same job. An app
// has a note of its own.
type PendingWork struct {
	Job string `json:"job,omitempty"`
	// Creating is true if the resource has never worked yet. If it is found failed, it is
	// replaced.
	Creating bool `json:"creating,omitempty"`
	// Failed is true if the creation was seen to fail, so nothing has run.
	Failed bool `json:"failed,omitempty"`
	// Protected is true if a failed creation left deletion_protection null although the
	// configuration protects the resource. If it runs after all, it is protected again.
	Protected bool `json:"protected,omitempty"`
	// Switches are the engines that a creation turned on. The other engines and the
	// budgets are set after it.
	Switches map[string]bool `json:"switches,omitempty"`
}

// AwaitPending waits for the job that an earlier apply left behind. If its id is unknown,
// or the service does not know the job any longer, the records decide which work remains.
func AwaitPending(ctx context.Context, turn *client.Turn, work PendingWork, operation string) error {
	if work.Job == "" {
		return nil
	}
	err := turn.Wait(ctx, client.Pending{JobID: work.Job}, operation)
	if missing := (*client.MissingJobError)(nil); errors.As(err, &missing) {
		return nil
	}
	return err
}

// PendingCreation reports whether private state notes an unfinished creation.
func PendingCreation(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) bool {
	work, _ := privatestate.Load[PendingWork](ctx, private, privatestate.PendingKey, diags)
	return work.Creating
}

// CreationFailed returns the work of a creation that failed, and the deletion_protection of
// its state. Terraform taints the resource, and does not pass the private state of a
// tainted object to Delete. If deletion_protection is null, Delete knows that the provider
// removed the protection, and checks whether anything has run since.
func (w PendingWork) CreationFailed(protection types.Bool) (PendingWork, types.Bool) {
	if w.Failed, w.Protected = true, IsProtected(protection); !w.Protected {
		return w, protection
	}
	return w, ProtectionAfterFailure(false)
}

// WasUnprotected reports whether the provider removed the protection, which is then null.
// In a state that was imported and not read yet, the status is null too.
func WasUnprotected(protection types.Bool, status types.String) bool {
	return protection.IsNull() && !status.IsNull()
}

// ProtectionAfterFailure returns the deletion_protection of a protected resource whose
// creation failed. If it has run after all, it is protected again.
func ProtectionAfterFailure(ran bool) types.Bool {
	if ran {
		return types.BoolValue(true)
	}
	return types.BoolNull()
}

// ClearPending removes the note of pending work.
func ClearPending(ctx context.Context, private privatestate.Writer, diags *diag.Diagnostics) {
	diags.Append(private.SetKey(ctx, privatestate.PendingKey, nil)...)
}

// MayAppear reads the job that creates a resource, before the resource itself is read. It
// returns a function that reports, once the resource's absence is confirmed, whether the
// creation may still show it: until the job ends, the service does not show the resource.
// If the job ends while reads confirm the absence, they may be of the time before. If the
// job is shown only after them, reads lag, and they may be of the time before, too. id is
// "" if no job is pending.
func (b *Resource) MayAppear(ctx context.Context, id string) func() bool {
	if id == "" {
		return func() bool { return false }
	}
	job, err := b.Client.Job(ctx, id)
	if errors.Is(err, client.ErrNotFound) {
		return func() bool {
			_, err := b.Client.Job(ctx, id)
			return !errors.Is(err, client.ErrNotFound)
		}
	}
	inProgress := err != nil || !job.Done() && !job.Failed()
	return func() bool { return inProgress }
}

// Planning reads the state and the plan of a ModifyPlan request. Each is nil if the
// request has none. ok is false after an error.
func Planning[M any](ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) (state, plan *M, ok bool) {
	if !req.State.Raw.IsNull() {
		diags.Append(req.State.Get(ctx, &state)...)
	}
	switch {
	case req.Plan.Raw.IsNull():
	case state != nil && req.Plan.Raw.Equal(req.State.Raw):
		same := *state // reading it again takes a twentieth of the time of a plan
		plan = &same
	default:
		diags.Append(req.Plan.Get(ctx, &plan)...)
	}
	return state, plan, !diags.HasError()
}
