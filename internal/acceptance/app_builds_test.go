package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

const buildsPath = "/instances/*/apps/*/builds"

// addBuilds adds builds to the app that are older than its others.
func addBuilds(fake *fakeservicetest.Server, n int, status, log string) {
	fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) {
		for i := range n {
			a.Builds = append(a.Builds, fakeservice.Build{ID: fmt.Sprintf("bld-old-%d", i), Status: status, Commit: "c0ffee0", Error: log})
		}
	})
}

// A refresh reads the builds of an app back to the deployed one, and an update back to
// its own.
func TestAppWithALongHistory(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	addBuilds(fake, 3000, "successful", "")
	reads := fake.Count("GET", buildsPath)
	w.mustBeSettled()
	must(t, fake.Count("GET", buildsPath)-reads == 1, "reads of builds in a refresh: got %d, want 1", fake.Count("GET", buildsPath)-reads)

	for _, change := range []string{"port = 8080", "branch = \"next\"", "redeploy_triggers = { v = \"1\" }"} {
		w.configure(oneApp(change))
		w.apply()
	}
	for _, request := range fake.Requests() {
		if request.Method == "GET" && strings.HasSuffix(request.Path, "/builds") && strings.Contains(request.Query, "cursor=") {
			t.Errorf("reads of builds: got %s?%s, want the first page only", request.Path, request.Query)
		}
	}
	w.mustBeSettled()
}

// Large logs of failed builds do not prevent reading or changing an app.
func TestAppWithLargeLogs(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	addBuilds(fake, 200, "failed", strings.Repeat("x", 30<<10))
	w.mustBeSettled()
	w.configure(oneApp("branch = \"next\"") + `
data "hosting_app_builds" "test" {
  instance_id = "i-one"
  app         = hosting_app.test.name
}
output "builds" {
  value = length(data.hosting_app_builds.test.builds)
}
`)
	w.says(0, []string{"builds = 20"}, "apply", "-auto-approve")
}

// An app whose builds cannot be read is refreshed and changed anyway. The state keeps its
// previous build.
func TestAppWhoseBuildsCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakeservice.Fault{
		"500":                 {Status: http.StatusInternalServerError},
		"a gateway's 404":     {Page: http.StatusNotFound},
		"a gateway's 502":     {Page: http.StatusBadGateway},
		"an answer too large": {Rewrite: func(body map[string]any) { body["padding"] = strings.Repeat("x", 5<<20) }},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			const hasty = "provider \"hosting\" {\n max_retries = 0\n}\n"
			w := newWorkspace(t, fake, hasty+oneApp(""))
			w.apply()
			before := w.saved("hosting_app", "test")
			fault.Method, fault.Path, fault.Times = http.MethodGet, buildsPath, -1
			remove := fake.Inject(fault)
			w.says(0, []string{"The builds of app guestbook could not be read", "No changes."}, "plan")
			w.configure(hasty + oneApp("port = 8080"))
			w.says(0, []string{"0 added, 1 changed, 0 destroyed"}, "apply", "-auto-approve")
			remove()
			after := w.mustBeKept("hosting_app", "test")
			must(t, after.Attributes["build_id"] == before.Attributes["build_id"] && after.Attributes["build_id"] != nil, "the app in the state: got %v, want the build of %v", after.Attributes, before.Attributes)
			w.mustBeSettled()
		})
	}
}
