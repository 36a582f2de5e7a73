package acceptance

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// The tests below check that applies recover from more than the rows of the fault table.
// In each case something was once lost, leaked or stuck.

// oneApp returns the app on the seeded instance, with additional arguments.
func oneApp(arguments string) string {
	return "resource \"hosting_app\" \"test\" {\n instance_id = \"i-one\"\n" + appArguments + arguments + "\n}\n"
}

func theSeededApp(t *testing.T, fake *fakeservicetest.Server) fakeservice.App {
	t.Helper()
	app, ok := fake.App("i-one", "guestbook")
	must(t, ok, "the fake has no app guestbook")
	return app
}

func TestRedeployBySomebodyElseIsNoInconsistency(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{"restart": "port = 8080", "timeouts alone": "timeouts = { update = \"7m\" }"} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp(""))
			w.apply()
			behind(t, fake, http.MethodPost, "/instances/i-one/apps/guestbook/actions/redeploy", "{}")
			machine.Until(t, "it is deployed", func() bool {
				app := theSeededApp(t, fake)
				return len(app.Builds) == 2 && app.Builds[0].Status == "successful" && app.Status == "running"
			})
			w.configure(oneApp(change))
			w.apply()
			w.mustBeSettled()
		})
	}
}

// behind sends a request as another client.
func behind(t *testing.T, fake *fakeservicetest.Server, method, path, body string) {
	t.Helper()
	request, err := http.NewRequest(method, fake.BaseURL+path, strings.NewReader(body))
	must(t, err == nil, "%v", err)
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	must(t, err == nil, "%v", err)
	answer.Body.Close()
	must(t, answer.StatusCode == http.StatusAccepted, "%s %s: got %d, want 202", method, path, answer.StatusCode)
}

func TestFailedJobOfABuildIsNotWaitedForAgain(t *testing.T) {
	t.Parallel()
	for operation, change := range map[string]string{"app_redeploy": "redeploy_triggers = { a = \"1\" }", "app_update": "env = { A = \"1\" }"} {
		t.Run(operation, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, oneApp(""))
			w.apply()
			fake.FailJobs(fakeservice.JobMatch{Operation: operation}, 1, "trouble", "it burns")
			w.configure(oneApp(change))
			w.fails("It burns (trouble)")
			w.apply()
			w.mustBeSettled()
			app := theSeededApp(t, fake)
			must(t, app.Status == "running" && len(app.Builds) == 2 && app.Builds[0].Status == "successful", "the app: got %s with builds %+v, want it running with two builds, the newest successful", app.Status, app.Builds)
		})
	}
}

func TestFailedBuildIsSeenThoughItsAnswerWasLost(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no such branch")
	fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", AfterCommit: true, Drop: true})
	w.configure(oneApp(`branch = "next"`))
	w.fails("error: no such branch")
	w.apply()
	w.mustBeSettled()
	must(t, theSeededApp(t, fake).Builds[0].Status == "successful", "the newest build: got %s, want successful", theSeededApp(t, fake).Builds[0].Status)
}

func TestInterruptedRedeployBuildsOnce(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	w.configure(oneApp(`redeploy_triggers = { v = "2" }`))
	interrupted(t, fake, w, "app_redeploy", "apply", "-auto-approve", "-no-color")
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("POST", "/instances/*/apps/*/actions/redeploy") == 1, "redeployments: got %d, want 1", fake.Count("POST", "/instances/*/apps/*/actions/redeploy"))
}

// Only a failed job taints an instance. These errors do not.
func TestCreationIsTaintedByAFailedJobAlone(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fakeservice.Fault{
		"401 on polls":      {Method: "GET", Path: "/jobs/*", Times: -1, Status: http.StatusUnauthorized, Code: "unauthorized"},
		"403 on connection": {Method: "GET", Path: "/instances/*/connection", Status: http.StatusForbidden, Code: "forbidden"},
		"404 on connection": {Method: "GET", Path: "/instances/*/connection", Status: http.StatusNotFound, Code: "not_found"},
		"422 on engines":    {Method: "PUT", Path: "/instances/*/engines", Status: http.StatusUnprocessableEntity, Code: "validation_failed", Detail: "not now"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			remove := fake.Inject(fault)
			w := newWorkspace(t, fake, instanceHCL(`engines = { postgres = {}, redis = {} }`))
			w.apply()
			remove()
			w.mustBeKept("hosting_instance", "test")
			machine.Until(t, "the instance runs", func() bool { return fake.Instances()[0].Status == "running" && fake.Instances()[0].JobID == "" })
			w.apply()
			w.mustBeSettled()
			must(t, fake.Count("POST", "/instances") == 1 && fake.Instances()[0].Engines["redis"] != nil, "got %d creations and the engines %v, want 1 and redis among them", fake.Count("POST", "/instances"), fake.Instances()[0].Engines)
		})
	}
}

func TestRecordThatLacksFieldsLosesNoMachine(t *testing.T) {
	t.Parallel()
	without := func(field string) fakeservice.Fault {
		return fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(m map[string]any) { delete(m, field) }}
	}
	for name, c := range map[string]struct {
		fault fakeservice.Fault
		exit  int
	}{
		"no region": {without("region"), 0},
		"no plan":   {without("plan"), 0},
		"no name":   {without("name"), 0},
		"no id":     {without("id"), 1}, // it is unknown which object the record is about
		"no host":   {without("host"), 0},
		"empty":     {fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Body: []byte(" "), Status: http.StatusOK}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, instanceHCL(plainInstance))
			w.apply()
			id := onlyInstance(t, fake)
			remove := fake.Inject(c.fault)
			r := w.run("apply", "-auto-approve", "-no-color")
			must(t, r.exit == c.exit, "the apply: got exit %d, want %d:\n%s", r.exit, c.exit, r.output)
			remove()
			must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] == id, "another id is in the state")
			must(t, jobsOf(fake, "delete") == 0 && len(fake.Jobs()) == 1, "jobs: got %+v, want the creation alone", fake.Jobs())
			w.mustBeSettled()
		})
	}
}

// A record without engines does not say which are on, so an import must not set them: the
// others would be turned off with their data.
func TestImportOfAnInstanceWhoseEnginesAreNotTold(t *testing.T) {
	fake := seededApps(t)
	remove := fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/i-one", Times: -1, Rewrite: func(m map[string]any) { delete(m, "engines") }})
	body := func(engines string) string {
		return "import {\n to = hosting_instance.test\n id = \"i-one\"\n}\n" + bareInstance("name = \"one\"\n plan = \"medium\"\n region = \"eu-central\"\n"+engines)
	}
	w := newWorkspace(t, fake, body("engines = { postgres = {} }"))
	w.says(1, []string{"The engines of instance i-one are not known", "set them in the portal"}, "plan")
	w.fails("The engines of instance i-one are not known")
	must(t, len(changes(fake)) == 0, "changes that were sent: got %v, want none", changes(fake))
	w.configure(body("engines = { postgres = {} }\n lifecycle {\n ignore_changes = [engines]\n }") + oneDatabase(""))
	w.apply()
	w.mustBeSettled()
	remove()
	w.mustBeSettled()
	must(t, jobsOf(fake, "engines") == 0, "jobs: got %+v, want no change of engines", fake.Jobs())
}

func TestWebhookRecordWithoutEnabled(t *testing.T) {
	fake := startFake(t)
	for _, path := range []string{"/webhooks", "/webhooks/*"} {
		fake.Inject(fakeservice.Fault{Path: path, Times: -1, Rewrite: func(m map[string]any) { delete(m, "enabled") }})
	}
	w := newWorkspace(t, fake, "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}")
	w.apply()
	w.mustBeSettled()
}

func TestRedirectURLsKeepTheirSpelling(t *testing.T) {
	fake := seededApps(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Times: -1, Rewrite: func(answer map[string]any) { lowerHosts(answer) }})
	w := newWorkspace(t, fake, "resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://App.example\"\n redirect_urls = [\"https://App.example/**\", \"https://b.example/X\"]\n}")
	w.apply()
	w.mustBeSettled()
}

// lowerHosts writes the hosts of redirect URLs in lower case, as a service may.
func lowerHosts(answer map[string]any) {
	for key, value := range answer {
		switch value := value.(type) {
		case []any:
			for n, element := range value {
				if text, ok := element.(string); ok && key == "redirect_urls" {
					value[n] = strings.Replace(text, "App.example", "app.example", 1)
				}
			}
		case map[string]any:
			lowerHosts(value)
		}
	}
}

func TestMovedAllowlistSaysWhatItOpens(t *testing.T) {
	fake := seededApps(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-two", Name: "two", Plan: "medium", Region: "eu-central", Engines: map[string]*fakeservice.Engine{}})
	body := func(id string) string {
		return "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"" + id + "\"\n cidrs = [\"192.0.2.1\"]\n on_destroy = \"open\"\n}"
	}
	w := newWorkspace(t, fake, body("i-one"))
	w.apply()
	w.configure(body("i-two"))
	w.says(0, []string{"The instance will be open to the internet", "The allowlist of instance i-one is destroyed"}, "plan")
}

func TestUnfinishedDatabaseCanBeDestroyed(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n}")
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "database_create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the creation is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
	apply.signal(syscall.SIGINT)
	apply.wait()
	w.mustBeKept("hosting_postgres_database", "test")
	destroy := w.start("destroy", "-auto-approve", "-no-color")
	polls := fake.Count("GET", "/jobs/*")
	destroy.until("the creation is waited for", func() bool { return fake.Count("GET", "/jobs/*") > polls+1 })
	release()
	r := destroy.wait()
	must(t, r.exit == 0 && len(fake.Databases("i-one")) == 1, "the destroy: got exit %d, want 0 and one database:\n%s", r.exit, r.output)
}
