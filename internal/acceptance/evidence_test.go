package acceptance

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Objects that may have run are protected. Only evidence shows that an object never ran.

var (
	protectedInstance = strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1)
	protectedDatabase = "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n}\n"
)

// An instance whose creation is the job that the import waits for has never run. If that
// creation fails, the instance is created again, although it was imported.
func TestImportedCreationThatFails(t *testing.T) {
	fake := startFake(t)
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	first := newWorkspace(t, fake, protectedInstance)
	apply := first.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signalGroup(9)
	apply.wait()
	id := onlyInstance(t, fake)
	w := newWorkspaceBeside(t, fake, protectedInstance+"import {\n to = hosting_instance.test\n id = \""+id+"\"\n}\n")
	polls := fake.Count("GET", "/jobs/*")
	second := w.start("apply", "-auto-approve", "-no-color")
	second.until("the import waits for the creation", func() bool { return fake.Count("GET", "/jobs/*") > polls+1 })
	fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
	release()
	r := second.wait()
	must(t, r.exit == 1 && strings.Contains(r.output, "No machine is free"), "the second apply: got exit %d, want 1 and the job's error:\n%s", r.exit, r.output)
	w.configure(protectedInstance)
	w.apply()
	w.mustBeSettled()
	must(t, jobsOf(fake, "create") == 2 && len(fake.Instances()) == 1, "got %d creations and %d instances, want 2 and 1", jobsOf(fake, "create"), len(fake.Instances()))
}
