package acceptance

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"syscall"
)

// These tests check that no change stays at the service if its outcome was not seen and the
// configuration reverts it, and that none is forgotten.

// dies starts an apply, and kills its processes once a job of the operation is polled. It
// returns when the job's change is in effect.
func (w *workspace) dies(fake *fakeservicetest.Server, operation string, inEffect func() bool) {
	w.t.Helper()
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: operation})
	apply := w.startUntilPolled(fake, "apply", "-auto-approve", "-no-color")
	apply.signalGroup(syscall.SIGKILL)
	apply.wait()
	release()
	machine.Until(w.t, "the change is in effect", inEffect)
}
