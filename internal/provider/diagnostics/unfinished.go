package diagnostics

import (
	"context"
	"errors"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// Unfinished returns the text of a warning about an object whose creation the service has
// accepted. err is why the provider did not see the creation end. object is the subject of a
// sentence, such as "Instance i-4f2a".
func Unfinished(object string, err error) string {
	var timeout *lifetime.TimeoutError
	kept := object + " is in the state and not tainted"
	continues := kept + ", and the service continues with it. Apply again to wait for it."
	switch {
	case errors.As(err, &timeout):
		return explain(err, continues+" "+longerText(timeout))
	case errors.Is(err, context.Canceled):
		return explain(err, continues)
	case errors.As(err, new(*client.MissingJobError)), errors.Is(err, client.ErrNotFound):
		return explain(err, kept+". The next plan reads it again, and creates it again if it is gone.")
	}
	return Explain(err) + "\n\n" + kept + ". The next apply waits for it."
}
