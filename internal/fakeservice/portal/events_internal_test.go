package portal

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// The portal has a name in words for every type of event.
func TestEventNames(t *testing.T) {
	t.Parallel()
	for _, kind := range core.EventTypes {
		if eventNames[kind] == "" {
			t.Errorf("eventNames in portal/events.go lacks %s", kind)
		}
	}
	if got := eventName("a_new_type"); got != "a new type" {
		t.Errorf("an unknown type: got %q, want %q", got, "a new type")
	}
}
