package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Objects that may have run are protected. Only evidence shows that an object never ran.

var (
	protectedInstance = strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1)
	protectedDatabase = "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n}\n"
)

// status rewrites the status in the records of instances.
func status(fake *fakeservicetest.Server, says func(string) string) (remove func()) {
	of := func(record map[string]any) {
		if word, ok := record["status"].(string); ok {
			record["status"] = says(word)
		}
	}
	one := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: of})
	all := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances", Times: -1, Rewrite: func(answer map[string]any) {
		for _, record := range answer["instances"].([]any) {
			of(record.(map[string]any))
		}
	}})
	return func() { one(); all() }
}

func TestMachineThatRanStaysProtected(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"creating", "restarting", "failed"} {
		t.Run(word, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, protectedInstance)
			w.apply()
			remove := status(fake, func(string) string { return word })
			w.mustBeSettled() // nothing to do
			w.says(1, []string{"is protected from deletion"}, "destroy", "-auto-approve")
			w.configure(strings.Replace(protectedInstance, "eu-central", "us-east", 1))
			w.says(1, []string{"is protected from deletion"}, "apply", "-auto-approve")
			w.configure(strings.Replace(protectedInstance, plainInstance, "engines = {}", 1))
			w.says(1, []string{"is protected from losing its postgres data"}, "apply", "-auto-approve")
			w.configure(protectedInstance)
			w.apply() // saves the status in the state
			w.says(1, []string{"is protected from deletion"}, "destroy", "-refresh=false", "-auto-approve")
			remove()
			w.mustBeSettled()
			must(t, len(fake.Jobs()) == 1, "jobs: got %+v, want one", fake.Jobs())
		})
	}
}

// An instance with an unknown status counts as running if it has run before, and as in
// progress otherwise.
func TestUnknownStatusWord(t *testing.T) {
	t.Parallel()
	active := func(word string) string { return map[string]string{"running": "active", "creating": "preparing"}[word] }
	t.Run("created", func(t *testing.T) {
		fake := startFake(t)
		status(fake, active)
		w := newWorkspace(t, fake, protectedInstance)
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		interrupted(t, fake, w, "create", "apply", "-auto-approve", "-no-color")
		release()
		w.apply()
		w.mustBeSettled()
		object := w.mustBeKept("hosting_instance", "test")
		must(t, object.Attributes["status"] == "active" && object.Attributes["ca_certificate"] != nil, "the instance in the state: got %v, want it active with a CA certificate", object.Attributes)
		w.says(1, []string{"is protected from deletion"}, "destroy", "-auto-approve")
		must(t, len(fake.Jobs()) == 1, "jobs: got %+v, want one", fake.Jobs())
	})
	t.Run("imported", func(t *testing.T) {
		fake := startFake(t)
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "test", Plan: "free", Region: "eu-central", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
		status(fake, active)
		w := newWorkspace(t, fake, protectedInstance+"import {\n to = hosting_instance.test\n id = \"i-one\"\n}\n")
		w.apply()
		w.mustBeSettled()
		must(t, w.mustBeKept("hosting_instance", "test").Attributes["ca_certificate"] != nil, "the connection record was not read")
		w.says(1, []string{"is protected from deletion"}, "destroy", "-auto-approve")
		must(t, len(fake.Jobs()) == 0, "jobs: got %+v, want none", fake.Jobs())
	})
}

func TestImportedMachineThatIsNotReady(t *testing.T) {
	t.Parallel()
	importing := "import {\n to = hosting_instance.test\n id = \"i-one\"\n}\n"
	for name, c := range map[string]struct {
		edit func(*fakeservice.Instance)
	}{
		"creating once more":          {func(i *fakeservice.Instance) { i.Status = "creating" }},
		"failed, and no host is told": {func(i *fakeservice.Instance) { i.Status, i.Host = "failed", "" }},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "test", Plan: "free", Region: "eu-central", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
			fake.EditInstance("i-one", c.edit)
			w := newWorkspace(t, fake, protectedInstance+importing)
			w.apply()
			w.says(1, []string{"is protected from deletion"}, "destroy", "-auto-approve")
			w.says(1, []string{"is protected from deletion"}, "apply", "-auto-approve", "-replace=hosting_instance.test")
			// The advice in the error works with every status.
			w.configure(instanceHCL(plainInstance) + importing)
			w.apply()
			r := w.run("destroy", "-auto-approve", "-no-color")
			must(t, r.exit == 0 && len(fake.Instances()) == 0, "the destroy: got exit %d, want 0 and no instance:\n%s", r.exit, r.output)
		})
	}
}

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

// Terraform passes no private state of a tainted object to Delete, so the state itself
// records that a failed creation is not protected.
func TestFailedCreationIsMadeAnew(t *testing.T) {
	fake := startFake(t)
	fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
	w := newWorkspace(t, fake, protectedInstance)
	w.fails("No machine is free")
	w.apply()
	w.mustBeSettled()
	must(t, jobsOf(fake, "create") == 2 && len(fake.Instances()) == 1, "got %d creations and %d instances, want 2 and 1", jobsOf(fake, "create"), len(fake.Instances()))
}

// If the instance runs after all, it is protected again.
func TestFailedCreationThatRunsAfterAllIsProtected(t *testing.T) {
	fake := startFake(t)
	fake.FailJobs(fakeservice.JobMatch{Operation: "create"}, 1, "no_capacity", "no machine is free")
	w := newWorkspace(t, fake, protectedInstance)
	w.fails("No machine is free")
	fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Status, i.Host = "running", "repaired.example" })
	w.says(1, []string{"is protected from deletion"}, "apply", "-auto-approve")
	w.says(0, nil, "untaint", "hosting_instance.test")
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
}

// A database whose creation failed is created again, even if the state was not refreshed.
func TestFailedDatabaseIsCreatedAgain(t *testing.T) {
	t.Parallel()
	for _, refresh := range []string{"-refresh=true", "-refresh=false"} {
		t.Run(refresh, func(t *testing.T) {
			fake := seededApps(t)
			fake.FailJobs(fakeservice.JobMatch{Operation: "database_create"}, 1, "trouble", "the disk is full")
			w := newWorkspace(t, fake, protectedDatabase)
			w.fails("The disk is full")
			if got := w.saved("hosting_postgres_database", "test").Attributes["deletion_protection"]; got != nil {
				t.Errorf("deletion_protection after the creation failed: got %v, want null", got)
			}
			w.says(0, nil, "apply", "-auto-approve", refresh)
			w.mustBeSettled()
			if got := w.saved("hosting_postgres_database", "test").Attributes["deletion_protection"]; got != true {
				t.Errorf("deletion_protection in the end: got %v, want true", got)
			}
		})
	}
}

// If the database exists after all, it is protected again.
func TestFailedDatabaseThatExistsAfterAllIsProtected(t *testing.T) {
	fake := seededApps(t)
	fake.FailJobs(fakeservice.JobMatch{Operation: "database_create"}, 1, "trouble", "the disk is full")
	w := newWorkspace(t, fake, protectedDatabase)
	w.fails("The disk is full")
	fake.AddDatabase("i-one", "orders")
	w.isRefused([]string{"Database orders is protected from deletion"}, "apply", "-auto-approve")
	w.isRefused([]string{"Database orders is protected from deletion"}, "destroy", "-auto-approve")
	w.says(0, nil, "untaint", "hosting_postgres_database.test")
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
}

// An interrupted creation that has ended since counts as finished, even if the state was
// not refreshed.
func TestFinishedCreationIsProtectedWithoutARefresh(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ body, create, text string }{
		"hosting_instance":          {protectedInstance, "create", "is protected from deletion"},
		"hosting_postgres_database": {protectedDatabase, "database_create", "Database orders is protected from deletion"},
	} {
		t.Run(kind, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, c.body)
			interrupted(t, fake, w, c.create, "apply", "-auto-approve", "-no-color")
			machine.Until(t, "the creation ends", func() bool { return fake.Left()["jobs"] == 0 })
			w.says(1, []string{c.text}, "destroy", "-refresh=false", "-auto-approve")
			must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
			w.apply()
			w.mustBeSettled()
		})
	}
}

func TestUnfinishedInstanceCanBeDestroyed(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, strings.Replace(protectedInstance, "free", "small", 1))
	w.apply() // ends with a warning: the checkout is unpaid
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(t, r.exit == 0 && len(fake.Instances()) == 0, "the destroy: got exit %d, want 0 and no instance:\n%s", r.exit, r.output)
}

func TestAppThatMayHaveRunIsWarnedAbout(t *testing.T) {
	// The service has lost the app's builds, so nothing proves that the app never ran.
	fake := appWithVariables(t)
	w := newWorkspace(t, fake, importApp+oneApp("deletion_protection = false"))
	w.apply()
	w.configure("")
	w.says(0, []string{"The data of an app will be lost", "app guestbook of instance"}, "plan")
	must(t, fmt.Sprint(w.mustBeKept("hosting_app", "test").Attributes["build_id"]) == "<nil>", "the app has a build")
}
