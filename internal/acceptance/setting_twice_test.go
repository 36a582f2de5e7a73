package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// twiceCases contains the settings of an instance, with two values of each.
var twiceCases = map[string][2]string{
	"hosting_allowlist":     {`cidrs = ["203.0.113.0/24"]`, `cidrs = ["198.51.100.7"]`},
	"hosting_console_mode":  {`mode = "ro"`, `mode = "rw"`},
	"hosting_auth_settings": {`site_url = "https://a.example"`, `site_url = "https://b.example"`},
}

func settingHCL(kind, name, instanceID, arguments string) string {
	return fmt.Sprintf("resource %q %q {\n  instance_id = %s\n  %s\n}\n", kind, name, instanceID, arguments)
}

func TestSecondResourceOfOneSetting(t *testing.T) {
	t.Parallel()
	for kind, c := range twiceCases {
		t.Run(kind, func(t *testing.T) {
			fake := seeded(t)
			what := strings.ReplaceAll(strings.TrimPrefix(kind, "hosting_"), "_", " ")
			refusal := "Two resources manage the " + what + " of instance i-one"
			first := settingHCL(kind, "first", `"i-one"`, c[0])
			w := newWorkspace(t, fake, first+settingHCL(kind, "second", `"i-one"`, c[1]))
			w.says(0, []string{"Warning: " + refusal, "terraform state rm " + kind + ".NAME"}, "plan")
			changedNothing(t, fake)

			// The first resource exists already. A resource for another instance is
			// allowed.
			w.configure(first + settingHCL(kind, "other", `"i-two"`, c[1]))
			w.apply()
			w.configure(first + settingHCL(kind, "other", `"i-two"`, c[1]) + settingHCL(kind, "second", `"i-one"`, c[0]))
			w.says(1, []string{"Error: " + refusal}, "plan")
		})
	}
}

// A replacement is planned in two calls, a tainted resource is planned without its state,
// and a resource may take over the setting of another one.
func TestOneResourceOfASettingIsNoSecondOne(t *testing.T) {
	t.Parallel()
	for kind, c := range twiceCases {
		t.Run(kind, func(t *testing.T) {
			fake := seeded(t)
			first := settingHCL(kind, "test", `"i-one"`, c[0])
			w := newWorkspace(t, fake, first)
			w.apply()
			w.says(0, []string{"will be replaced"}, "plan", "-replace="+kind+".test")
			w.says(0, []string{"1 added"}, "apply", "-auto-approve", "-replace="+kind+".test")
			w.says(0, nil, "taint", kind+".test")
			w.says(0, []string{"1 added"}, "apply", "-auto-approve")
			w.configure(settingHCL(kind, "test", `"i-two"`, c[0]))
			w.says(0, []string{"1 added"}, "apply", "-auto-approve")
			w.configure(strings.Replace(first, "}\n", "lifecycle { create_before_destroy = true }\n}\n", 1))
			w.says(0, []string{"1 added"}, "apply", "-auto-approve")
			w.says(0, []string{"1 added"}, "apply", "-auto-approve", "-replace="+kind+".test")
			w.says(0, nil, "plan", "-replace="+kind+".test", "-out=saved")
			w.says(0, []string{"1 added"}, "apply", "saved")
			w.configure(strings.Replace(first, `"test"`, `"renamed"`, 1))
			w.says(0, []string{"1 added"}, "apply", "-auto-approve")
		})
	}
}

// If a new resource fails to set a setting, the destruction of the former resource resets
// it. That destruction begins while the new resource is being created.
func TestSettingIsResetThoughItsNewResourceFails(t *testing.T) {
	fake := seeded(t)
	const kind = "hosting_auth_settings"
	w := newWorkspace(t, fake, settingHCL(kind, "former", `"i-one"`, `site_url = "https://a.example"`)+
		"resource \"hosting_postgres_database\" \"after\" {\n instance_id = \"i-two\"\n name = \"after\"\n deletion_protection = false\n depends_on = [hosting_auth_settings.former]\n}\n")
	w.apply()
	w.configure(settingHCL(kind, "new", `"i-one"`, `site_url = "https://b.example"`))
	fake.FailJobs(fakeservice.JobMatch{Operation: "auth_settings"}, 1, "trouble", "the engine is on fire")
	fail := fake.HoldJobs(fakeservice.JobMatch{Operation: "auth_settings"})
	drop := fake.HoldJobs(fakeservice.JobMatch{Operation: "database_drop"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the new one is being created", func() bool { return fake.Count("PATCH", "/instances/i-one/engines/auth/settings") == 2 })
	drop()
	apply.until("the former one is being destroyed", func() bool { return strings.Contains(apply.output.String(), kind+".former: Destroying") })
	fail()
	r := apply.wait()
	must(t, r.exit == 1 && strings.Contains(r.output, "Destruction complete"), "the apply: got exit %d, want 1 and a destruction:\n%s", r.exit, r.output)
	i, _ := fake.Instance("i-one")
	must(t, i.Engines["auth"].SiteURL == "", "site_url: got %q, want none", i.Engines["auth"].SiteURL)
}

// Two resources that exist already and do not change do not prevent a plan.
func TestTwoResourcesOfOneSettingThatStay(t *testing.T) {
	fake := seeded(t)
	kind, c := "hosting_allowlist", twiceCases["hosting_allowlist"]
	first := settingHCL(kind, "first", `"i-one"`, c[0])
	w := newWorkspace(t, fake, first)
	w.apply()
	w.configure(first + settingHCL(kind, "second", `"i-one"`, c[0]))
	w.says(0, nil, "import", kind+".second", "i-one")
	w.says(0, []string{"No changes"}, "plan")
}

// If only the apply knows the instance's id, the apply reports the conflict.
func TestSecondResourceOfASettingOfANewInstance(t *testing.T) {
	fake := startFake(t)
	c := twiceCases["hosting_allowlist"]
	w := newWorkspace(t, fake, instanceHCL(plainInstance)+
		settingHCL("hosting_allowlist", "first", "hosting_instance.test.id", c[0])+
		settingHCL("hosting_allowlist", "second", "hosting_instance.test.id", c[1]))
	w.says(0, nil, "plan")
	w.says(1, []string{"Two resources manage the allowlist of instance"}, "apply", "-auto-approve")
	must(t, fake.Count("PUT", "/instances/*/allowlist") == 1, "lists that were sent: got %d, want the first one alone", fake.Count("PUT", "/instances/*/allowlist"))
	w.says(1, []string{"Two resources manage the allowlist of instance"}, "plan")
}
