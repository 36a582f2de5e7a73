package hostingtest

import (
	"fmt"
	"io"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
)

// Setup is what a Service begins with: its catalogue, how long things take, the account,
// instances with what is on them, and webhook endpoints.
type Setup = setup.Setup

// ReadSetup reads a Setup from JSON, as the program takes it with --setup; its page tells
// the fields. It is held to the rules of the service, and an error begins with the field
// that is wrong, such as instances[0].plan.
func ReadSetup(from io.Reader) (Setup, error) {
	s, err := setup.Read(from)
	if err != nil {
		return Setup{}, fmt.Errorf("setup: %w", err)
	}
	return s, nil
}

// WithSetup makes a Service begin with a Setup, and again after each Reset.
func WithSetup(s Setup) Option {
	return func(o *fakeservice.Options) { o.Setup = s }
}
