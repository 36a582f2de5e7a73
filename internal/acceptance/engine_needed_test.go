package acceptance

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// needEngines lists the resources that belong to an engine of their instance.
var needEngines = map[string]struct{ engine, what, arguments string }{
	"hosting_postgres_database":  {"postgres", "database", "name = \"orders\""},
	"hosting_postgres_extension": {"postgres", "extension", "database = \"main\"\n  name = \"pgcrypto\""},
	"hosting_postgres_script":    {"postgres", "script", "sql = \"SELECT 1\""},
	"hosting_console_mode":       {"postgres", "console mode", "mode = \"ro\""},
	"hosting_auth_settings":      {"auth", "auth settings", "site_url = \"https://a.example\""},
}

func TestPlansOfWhatNeedsAnEngine(t *testing.T) {
	t.Parallel()
	for kind, c := range needEngines {
		t.Run(kind, func(t *testing.T) {
			fake := startFake(t)
			all := map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256}}
			fake.AddInstance(fakeservice.Instance{ID: "i-bare", Name: "bare", Plan: "free", Region: "us-west", Engines: map[string]*fakeservice.Engine{"redis": {MemoryMB: 64}}})
			fake.AddInstance(fakeservice.Instance{ID: "i-full", Name: "full", Plan: "free", Region: "us-west", Engines: all})
			const off, on = "{ redis = {} }", "{ postgres = {}, apps = {}, auth = {} }"
			instance := func(engines string) string {
				return "resource \"hosting_instance\" \"test\" {\n  name = \"test\"\n  plan = \"free\"\n  region = \"eu-central\"\n  engines = " + engines + "\n  deletion_protection = false\n}\n"
			}
			of := func(instanceID string) string { return settingHCL(kind, "test", instanceID, c.arguments) }
			summary := "The engine " + c.engine + " is off"
			w := newWorkspace(t, fake, instance(off)+of("hosting_instance.test.id"))
			w.says(0, []string{"Warning: " + summary, "The " + c.engine + " engine is needed for the " + c.what + ", but no instance that the plan creates has it"}, "plan")

			says := func(exit int, text, configuration string, args ...string) {
				t.Helper()
				w.configure(configuration)
				r := w.says(exit, []string{text}, append([]string{"plan"}, args...)...)
				must(t, text != "" || !strings.Contains(r.output, " is off"), "the plan: got\n%s\nwant no warning of an engine", r.output)
			}
			says(0, "", instance(on)+of("hosting_instance.test.id"))
			says(0, "", of(`"i-bare"`)) // nothing has read the instance
			const read = "data \"hosting_instance\" \"%\" {\n  id = \"%\"\n}\n"
			says(0, "it is currently off on instance i-bare", strings.ReplaceAll(read, "%", "i-bare")+of("data.hosting_instance.i-bare.id"))
			says(0, "", strings.ReplaceAll(read, "%", "i-full")+of("data.hosting_instance.i-full.id"))
			changedNothing(t, fake)

			w.configure(instance(off))
			w.apply()
			says(1, "the plan leaves it off on instance", instance(off)+of("hosting_instance.test.id"))
			says(1, "the plan leaves it off on instance", instance(off)+of("hosting_instance.test.id"), "-refresh=false")
			says(0, "", instance(on)+of("hosting_instance.test.id"))
			says(0, "", "resource \"terraform_data\" \"later\" {}\n"+instance("terraform_data.later.id == \"x\" ? "+off+" : "+strings.Replace(on, "{ p", "{ redis = {}, p", 1))+of("hosting_instance.test.id"))
		})
	}
}

// The check uses the plans and records that the process has seen, and sends no request.
func TestEngineCheckSendsNothing(t *testing.T) {
	fake := seeded(t)
	w := newWorkspace(t, fake, settingHCL("hosting_console_mode", "test", `"i-twin"`, `mode = "ro"`))
	before := len(fake.Requests())
	w.says(0, nil, "plan")
	if sent := fake.Requests()[before:]; len(sent) != 0 {
		t.Errorf("requests of the plan: got %+v, want none", sent)
	}
}
