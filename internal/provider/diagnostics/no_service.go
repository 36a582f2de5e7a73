package diagnostics

import (
	"errors"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A ServiceCheck reports once that no request of this process can succeed. Otherwise a
// refresh or a plan of fifty resources would report it fifty times. One error ends the
// run. Create, Update and Delete report their own errors, since each of them has to fail.
type ServiceCheck struct {
	client *client.Client

	mu       sync.Mutex
	reported map[string]bool // summaries
}

// NewServiceCheck returns the check of a process that has reported nothing yet.
func NewServiceCheck(c *client.Client) *ServiceCheck {
	return &ServiceCheck{client: c, reported: map[string]bool{}}
}

// report adds an error to diags, unless this process has reported that summary already.
func (s *ServiceCheck) report(summary string, err error, diags *diag.Diagnostics) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.reported[summary] {
		AddClientError(diags, summary, err)
	}
	s.reported[summary] = true
}

// endsRun reports an error that every other request of this process would get too: an
// invalid key, or a service that has never answered. It returns false for any other
// error.
func (s *ServiceCheck) endsRun(err error, diags *diag.Diagnostics) bool {
	switch {
	case errors.Is(err, client.ErrUnauthorized) && !errors.Is(err, transport.ErrForeign):
		s.report("The API key is not valid", err, diags)
	case !s.client.HasAnswered() && (errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrOutage) || errors.Is(err, transport.ErrForeign) && errors.Is(err, client.ErrUnavailable)):
		s.report("The service did not answer", err, diags)
	default:
		return false
	}
	return true
}

// AddReadError reports the error of a Read, which keeps the state.
func (s *ServiceCheck) AddReadError(diags *diag.Diagnostics, summary string, err error) {
	switch refused := (*transport.APIError)(nil); {
	case s.endsRun(err, diags):
	case errors.As(err, &refused) && refused.RefusesRecord() && !errors.Is(refused, client.ErrNotFound):
		diags.AddError(summary, explain(err, strings.TrimSpace(keyText(err)+" "+
			"If it is gone, remove it from the state. This command deletes nothing at the service:\n\nterraform state rm ADDRESS")))
	default:
		AddClientError(diags, summary, err)
	}
}

// WarnUnchecked warns that a value could not be checked. If the base URL leads to
// something other than the service, it adds an error instead, because no value can be
// valid then.
func (s *ServiceCheck) WarnUnchecked(diags *diag.Diagnostics, attribute string, err error) {
	switch {
	case s.endsRun(err, diags):
	case errors.Is(err, transport.ErrForeign) && !errors.Is(err, client.ErrUnavailable) && !errors.Is(err, transport.ErrRateLimited):
		s.report("The provider's base URL does not lead to the service", err, diags)
	default:
		diags.AddAttributeWarning(path.Root(attribute), "The "+attribute+" could not be checked",
			"The service could not be asked, so a wrong value is only noticed during the apply. "+Explain(err))
	}
}
