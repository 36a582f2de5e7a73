package diagnostics

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// The advice about an action that may have been carried out is never to apply again.
func TestActionNextStep(t *testing.T) {
	timeout := &lifetime.TimeoutError{Operation: "invoke", Limit: time.Minute}
	for name, row := range map[string]struct {
		err  error
		want []string // none: the advice for a resource
	}{
		"failed job":       {&client.JobError{}, []string{"Fix the cause."}},
		"failed build":     {&client.BuildError{}, []string{"Check in the portal what failed"}},
		"app that is down": {&client.AppError{}, []string{"Make the app listen"}},
		"interrupted":      {&client.InterruptedError{Err: errors.New("interrupted")}, []string{"The service continues with it.", "before you run it again"}},
		"timeout":          {&client.InterruptedError{Err: timeout}, []string{`timeouts = { invoke = "2m" }`, "before you run it again"}},
		"missing job":      {&client.MissingJobError{}, []string{"before you run it again"}},
		"no evidence":      {&client.NoProofError{}, []string{"before you run it again"}},
		"lost answer":      {&transport.OutcomeError{Err: errors.New("504")}, []string{"before you run it again"}},
		"refused argument": {fmt.Errorf("instance i-1: %w", client.ErrValidation), []string{"Change the value that the service refused."}},
		"another job":      {fmt.Errorf("instance i-1: %w", client.ErrJobRunning), []string{"Wait until that job has ended."}},
		"limited":          {fmt.Errorf("instance i-1: %w", transport.ErrRateLimited), []string{"Nothing was done. Wait a while."}},
		"unavailable":      {fmt.Errorf("instance i-1: %w", client.ErrUnavailable), []string{"Nothing was done. Wait a while."}},
		"a gateway's 422":  {&transport.APIError{Status: 422}, nil},
		"a gateway's 503":  {&transport.APIError{Status: 503}, nil},
		"not found":        {fmt.Errorf("instance i-1: %w", client.ErrNotFound), nil},
	} {
		got := actionNextStep(row.err)
		if row.want == nil {
			if got != "" {
				t.Errorf("%s: got %q, want none", name, got)
			}
			continue
		}
		for _, want := range append(row.want, "terraform apply -invoke=ADDRESS") {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want it to contain %q", name, got, want)
			}
		}
		if strings.Contains(strings.ToLower(got), "apply again") {
			t.Errorf("%s: got %q, want no advice to apply again", name, got)
		}
	}
}
