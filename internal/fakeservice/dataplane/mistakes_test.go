package dataplane_test

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// broken is a ControlPlane whose DesiredMachine panics.
type broken struct{ core.ControlPlane }

func (broken) DesiredMachine(string) (core.DesiredMachine, error) { panic("broken") }

// A panic in an operation becomes the error of that operation, and the machine can be
// used afterwards.
func TestPanicInAnOperation(t *testing.T) {
	t.Parallel()
	plane := must.Get(dataplane.New(dataplane.Options{StateFolder: stateFolder(t)}))(t)
	t.Cleanup(func() {
		must.Report(t, plane.Close())
	})
	plane.Attach(broken{})
	for range 2 { // the first call has released the turn
		if err := plane.Apply(t.Context(), "i-1"); err == nil || !strings.Contains(err.Error(), "a mistake in the fake service") {
			t.Errorf("Apply: got error %v, want a mistake in the fake service", err)
		}
	}
	if err := plane.Remove(t.Context(), "i-1"); err != nil {
		t.Errorf("Remove: got error %v, want none", err)
	}
}
