package acceptance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// If the second step of a creation is refused, the message names the completed and the
// missing steps. Nothing is tainted, and the next apply completes the creation.

func TestInstanceWhoseEnginesAreRefusedIsKept(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*fakeservice.Service){
		"refused": func(fake *fakeservice.Service) {
			fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/engines", Status: http.StatusUnprocessableEntity, Code: "validation_failed", Detail: "not enough of it"})
		},
		"failed": func(fake *fakeservice.Service) {
			fake.FailJobs(fakeservice.JobMatch{Operation: "engines"}, 1, "trouble", "not enough of it")
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			fail(fake.Service)
			w := newWorkspace(t, fake, instanceHCL("engines = { postgres = {}, redis = { memory_mb = 128 } }"))
			r := w.apply()
			must(t, strings.Contains(r.output, "Warning: Instance test was created, but not all of it is as planned") && strings.Contains(strings.ToLower(r.output), "not enough of it") &&
				strings.Contains(r.output, "its engines"), "the apply: got\n%s\nwant the warning with its engines and the reason", r.output)
			must(t, !strings.Contains(r.output, "still being created") && !strings.Contains(r.output, "continues with"), "the warning: got\n%s\nwant it without words of a creation that continues", r.output)
			w.mustBeKept("hosting_instance", "test")
			w.apply()
			w.mustBeSettled()
			must(t, jobsOf(fake, "create") == 1 && fake.Instances()[0].Engines["redis"].MemoryMB == 128, "the engines: got %v, want redis with 128 MB after one creation", fake.Instances()[0].Engines)
		})
	}
}

func TestInstanceWhoseConnectionIsRefusedIsKept(t *testing.T) {
	fake := startFake(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/connection", Status: http.StatusForbidden, Code: "forbidden", Detail: "not yours"})
	w := newWorkspace(t, fake, instanceHCL(plainInstance))
	r := w.apply()
	must(t, strings.Contains(r.output, "Warning: Instance test was created, but not all of it is as planned") && strings.Contains(strings.ToLower(r.output), "not yours") &&
		!strings.Contains(r.output, "continues with"), "the apply: got\n%s\nwant the warning with the reason, and no creation that continues", r.output)
	w.apply()
	w.mustBeSettled()
}

func TestAppWhoseLinksAreRefusedIsKept(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*fakeservice.Service){
		"refused": func(fake *fakeservice.Service) {
			fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: http.StatusUnprocessableEntity, Code: "validation_failed", Detail: "not linkable"})
		},
		"failed": func(fake *fakeservice.Service) {
			fake.FailJobs(fakeservice.JobMatch{Operation: "app_update"}, 1, "trouble", "not linkable")
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			fail(fake.Service)
			w := newWorkspace(t, fake, oneApp("links = [\"auth\"]"))
			r := w.apply()
			must(t, strings.Contains(r.output, "Warning: App guestbook was created, but not linked as planned") && strings.Contains(strings.ToLower(r.output), "not linkable"), "the apply: got\n%s\nwant the warning that the app is not linked", r.output)
			w.mustBeKept("hosting_app", "test")
			w.apply()
			w.mustBeSettled()
			app := theSeededApp(t, fake)
			must(t, jobsOf(fake, "app_import") == 1 && len(app.Links) == 1 && len(app.Builds) == 1, "the app: got %+v, want one link and one build", app)
		})
	}
}

func TestDatabaseThatCannotBeReadBackIsKept(t *testing.T) {
	fake := seededApps(t)
	// The first list is read before the creation.
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/postgres/databases", Skip: 1, Status: http.StatusForbidden, Code: "forbidden", Detail: "not yours"})
	w := newWorkspace(t, fake, protectedDatabase)
	r := w.apply()
	must(t, strings.Contains(r.output, "Warning: Database orders was created, but could not be read") && strings.Contains(strings.ToLower(r.output), "not yours"), "the apply: got\n%s\nwant the warning that the database could not be read", r.output)
	w.apply()
	w.mustBeSettled()
	must(t, jobsOf(fake, "database_create") == 1, "creations of databases: got %d, want 1", jobsOf(fake, "database_create"))
}
