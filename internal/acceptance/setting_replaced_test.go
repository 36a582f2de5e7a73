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

// A deletion never resets what another resource has set in the same apply: a replacement,
// a new instance, create_before_destroy, a rename.
func TestSettingIsSetByItsNewResource(t *testing.T) {
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
