package diagnostics

import (
	"cmp"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// AddActionError is like AddClientError for an action. The next apply resumes the work on a
// resource. It neither waits for an action nor repeats one, and what an action did twice
// may lose data twice.
func AddActionError(diags *diag.Diagnostics, summary string, err error) {
	addError(diags, summary, err, cmp.Or(actionNextStep(err), nextStep(err)))
}

// actionNextStep returns the advice for an action that was accepted, or may have been, or
// that the service refused and would accept later. It returns "" for any other error: the
// advice is that for any request.
func actionNextStep(err error) string {
	const (
		unknown = "Check in the portal whether it was carried out before you run it again. "
		again   = "A later apply does not continue an action. This command runs it again, with the action's address for ADDRESS:\n\nterraform apply -invoke=ADDRESS"
	)
	var (
		build   *client.BuildError
		app     *client.AppError
		timeout *lifetime.TimeoutError
	)
	switch {
	case errors.As(err, &build):
		return buildFixText(build) + " " + again
	case errors.As(err, &app):
		return appFixText(app.App) + " " + again
	case errors.As(err, new(*client.JobError)):
		return "Fix the cause. " + again
	case errors.As(err, new(*client.InterruptedError)) && errors.As(err, &timeout):
		return "The service continues with it. " + longerText(timeout) + " " + unknown + again
	case errors.As(err, new(*client.InterruptedError)):
		return "The service continues with it. " + unknown + again
	case errors.As(err, new(*client.MissingJobError)), errors.As(err, new(*client.NoProofError)), errors.As(err, new(*transport.OutcomeError)):
		return unknown + again
	case errors.Is(err, transport.ErrForeign):
		return "" // the same as for any request
	case errors.Is(err, client.ErrValidation):
		return changeText(err) + ". " + again
	case errors.Is(err, client.ErrJobRunning):
		return "Wait until that job has ended. " + again
	case errors.Is(err, transport.ErrRateLimited), errors.Is(err, client.ErrUnavailable):
		return "Nothing was done. Wait a while. " + again
	}
	return ""
}
