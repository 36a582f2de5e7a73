package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Faults in which an import, a plan or a record promised something that later differs, at
// least temporarily. Other tests check each of them in detail.
var promiseFaults = []faultRow{
	{60, "imports: a key not known yet, an app with variables", func(t *testing.T) string {
		fake := appWithVariables(t)
		const instance = "resource \"hosting_instance\" \"test\" {\n name = \"one\"\n plan = \"medium\"\n region = \"eu-central\"\n engines = { postgres = {}, apps = {}, auth = {} }\n}\n" +
			"import {\n to = hosting_instance.test\n id = \"i-one\"\n}\n"
		unknown := newWorkspaceBeside(t, fake, unknownKey(fake)+instance+importApp+oneApp(""))
		unknown.fails("The provider is not configured yet")
		must(t, len(fake.Requests()) == 0, "requests: got %d, want none", len(fake.Requests()))
		w := newWorkspaceBeside(t, fake, instance+importApp+oneApp("port = 8080"))
		w.apply()
		w.mustBeSettled()
		mustHaveEnv(t, fake, 0, given)
		must(t, len(fake.Instances()) == 1 && fake.Count("DELETE", "**") == 0 && fake.Count("POST", "**") == 0, "instances: got %d, want 1, and no creation or deletion", len(fake.Instances()))
		return "1 refused with 0 requests; 1 changed beside 2 variables that no PATCH carried; 0 destroyed, 0 made"
	}},
	{61, "passing words: restarting, creating, another CA", func(t *testing.T) string {
		cases := map[string]func(*testing.T){
			// An instance that has run stays protected, whatever its temporary status.
			"creating": func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1))
				w.apply()
				fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(m map[string]any) { m["status"] = "creating" }})
				w.says(1, []string{"is protected from deletion"}, "apply", "-destroy", "-auto-approve")
				must(t, fake.Count("DELETE", "**") == 0, "the instance was deleted")
			},
		}
		for name, c := range map[string]struct{ path, field, word string }{
			"restarting": {"/instances/*", "status", "restarting"},
			"CA renewed": {"/instances/*/connection", "ca_certificate", "renewed"},
		} {
			cases[name] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
				w.apply()
				meanwhile(fake, "PATCH", "/instances/*", c.path, func(m map[string]any) { m[c.field] = c.word })
				w.configure(instanceHCL(plainInstance + "\n  tags = [\"a\"]"))
				w.apply()
				w.says(0, nil, "apply", "-refresh-only", "-auto-approve")
				must(t, w.mustBeKept("hosting_instance", "test").Attributes[c.field] == c.word, "the refresh does not show %q as %s", c.word, c.field)
				w.mustBeSettled()
			}
		}
		atOnce(t, cases)
		return fmt.Sprintf("%d passing: 2 updates as planned, shown by the next refresh; 1 still protected", len(cases))
	}},
}
