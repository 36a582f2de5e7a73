package hostingtest

import (
	"fmt"
	"io"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
)

// Setup is the initial contents of a Service: its catalogue, the durations of jobs, the
// account, instances with their apps and databases, and webhook endpoints. The zero value
// has the default catalogue and nothing else.
type Setup struct{ contents setup.Setup }

// ReadSetup reads a Setup from JSON, in the format of the fake's flag --setup, which is
// documented in cmd/fakeservice. The contents must follow the service's rules. An error
// begins with the wrong field, such as instances[0].plan.
func ReadSetup(from io.Reader) (Setup, error) {
	contents, err := setup.Read(from)
	if err != nil {
		return Setup{}, fmt.Errorf("setup: %w", err)
	}
	return Setup{contents}, nil
}

// WithAccountID returns a copy of the Setup whose account has this id, in the form that
// the JSON requires. If the id is empty, it is random.
func (s Setup) WithAccountID(id string) Setup { return Setup{s.contents.WithAccountID(id)} }
