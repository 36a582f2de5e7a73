package acceptance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// hosts returns a fake with two instances, one with apps and auth, and one with neither.
func hosts(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := seeded(t)
	fake.AddInstance(fakeservice.Instance{ID: "i-bare", Name: "bare", Plan: "free", Region: "us-west",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
	return fake
}

func appOn(instanceID, arguments string) string {
	return "resource \"hosting_app\" \"test\" {\n  instance_id = " + instanceID + "\n  repo = \"octo/app\"\n  deletion_protection = false\n" + arguments + "\n}\n"
}

// A plan reports every problem of an app that it can know, before any request that
// changes something.
func TestPlansOfApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		exit int
		says []string
		not  string
	}{
		"all is well":             {appOn(`"i-one"`, "name = \"app\"\nlinks = [\"auth\"]\nmemory_mb = 512"), 0, nil, "Warning: The"},
		"engines that are off":    {appOn(`"i-bare"`, "name = \"app\"\nlinks = [\"auth\"]"), 0, []string{"The engine apps is off", "The engine auth is off", "which is currently off on instance i-bare"}, ""},
		"a misspelt link":         {appOn(`"i-one"`, "name = \"app\"\nlinks = [\"atuh\"]"), 0, []string{"The service may refuse the link", `did you mean "auth"?`}, ""},
		"memory over the budget":  {appOn(`"i-one"`, "name = \"app\"\nmemory_mb = 1537"), 0, []string{"App memory exceeds the apps engine", "the apps engine of instance i-one has 1536 MB"}, ""},
		"memory over the plan":    {appOn(`"i-two"`, "name = \"app\"\nmemory_mb = 2000"), 0, []string{"App memory exceeds the instance's plan", "instance i-two is currently on plan free, which has 1536 MB"}, ""},
		"memory over every plan":  {appOn(`"i-one"`, "name = \"app\"\nmemory_mb = 99999"), 1, []string{"App memory exceeds every plan", "the biggest plan, xlarge, has 16384 MB"}, ""},
		"memory under the floor":  {appOn(`"i-one"`, "name = \"app\"\nmemory_mb = 100"), 1, []string{"An app needs at least 512 MB, not 100."}, ""},
		"a name":                  {appOn(`"i-one"`, "name = \"My_App\""), 0, []string{"The service may refuse the name of the app", `"My_App" begins with "M"`}, ""},
		"an instance by its name": {appOn(`"bare"`, "name = \"app\""), 1, []string{`The service has no instance with the id "bare"`, "finds an instance by its name"}, ""},
		"an instance yet to come": {instanceHCL(plainInstance) + appOn("hosting_instance.test.id", "name = \"app\"\nlinks = [\"auth\"]\nmemory_mb = 4096"), 0,
			[]string{"The engine apps is off", "The engine auth is off", "no instance that the plan creates has it", "App memory exceeds the instance's plan", "1536 MB of plan free"}, ""},
		"one of two yet to come": {instanceHCL(plainInstance) + strings.NewReplacer("\"test\" {", "\"other\" {", "{ postgres = {} }", "{ postgres = {}, apps = {}, auth = {} }", "\"free\"", "\"large\"").Replace(instanceHCL(plainInstance)) +
			appOn("hosting_instance.other.id", "name = \"app\"\nlinks = [\"auth\"]\nmemory_mb = 512\ndepends_on = [hosting_instance.test]"), 0, nil, "is off"},
		"a database's name":       {"resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"my-db\"\n}\n", 0, []string{"The service may refuse the name of the database", `"my-db" holds "-"`}, ""},
		"a name known later":      {"resource \"terraform_data\" \"later\" { input = \"X\" }\n" + appOn(`"i-one"`, "name = terraform_data.later.output"), 0, nil, "Warning: The"},
		"an instance that is not": {appOn(`"i-none"`, "name = \"app\""), 1, []string{"Unknown instance"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fake := hosts(t)
			w := newWorkspace(t, fake, c.body)
			w.says(c.exit, c.says, "plan")
			if c.not != "" {
				r := w.run("plan", "-no-color")
				must(t, !strings.Contains(strings.Replace(r.output, "Warning: Provider", "", 1), c.not), "the plan: got %q in it, want it without:\n%s", c.not, r.output)
			}
			changedNothing(t, fake)
		})
	}
}

// Only changes are checked. The instance's own plan takes precedence over its record.
func TestPlansOfAppsOnAnInstanceThatChanges(t *testing.T) {
	fake := startFake(t)
	instance := func(plan, engines string) string {
		return "resource \"hosting_instance\" \"test\" {\n  name = \"test\"\n  plan = \"" + plan + "\"\n  region = \"eu-central\"\n  engines = " + engines + "\n  deletion_protection = false\n}\n"
	}
	app := func(arguments string) string { return appOn("hosting_instance.test.id", "name = \"app\"\n"+arguments) }
	w := newWorkspace(t, fake, instance("free", "{ postgres = {}, apps = {} }")+app(""))
	w.apply()

	w.configure(instance("free", "{ postgres = {}, apps = {} }") + app("links = [\"auth\"]"))
	w.says(0, []string{"The engine auth is off", "the plan leaves it off on instance"}, "plan")
	w.configure(instance("free", "{ postgres = {}, apps = {} }") + app("memory_mb = 1600"))
	w.says(1, []string{"App memory exceeds the instance's plan", "plan free of instance"}, "plan")

	w.configure(instance("small", "{ postgres = {}, apps = { memory_mb = 1200 }, auth = {} }") + app("links = [\"auth\"]\nmemory_mb = 1100"))
	r := w.run("plan", "-no-color")
	must(t, r.exit == 0 && !strings.Contains(r.output, "is off") && !strings.Contains(r.output, "Memory over"), "the plan: got exit %d, want 0 and no warning:\n%s", r.exit, r.output)

	// Unchanged arguments are not checked, even if the instance has changed.
	w.configure(instance("free", "{ postgres = {}, apps = {}, auth = {} }") + app("links = [\"auth\"]"))
	w.apply()
	fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { delete(i.Engines, "auth") })
	w.configure(instance("free", "{ postgres = {}, apps = {} }") + app("links = [\"auth\"]\nport = 8080"))
	r = w.run("plan", "-no-color")
	must(t, r.exit == 0 && !strings.Contains(r.output, "is off"), "the plan: got exit %d, want 0 and no warning:\n%s", r.exit, r.output)
}

func TestPlansOfAppsThatCannotBeChecked(t *testing.T) {
	fake := hosts(t)
	for _, path := range []string{"/plans", "/instances/i-bare"} {
		fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Status: http.StatusForbidden, Code: "forbidden"})
	}
	w := newWorkspace(t, fake, appOn(`"i-bare"`, "name = \"app\"\nlinks = [\"auth\"]\nmemory_mb = 512"))
	w.says(0, []string{"The memory_mb could not be checked", "The instance_id could not be checked"}, "plan")
	changedNothing(t, fake)
}
