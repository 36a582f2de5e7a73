package acceptance

import (
	"fmt"
	"strings"
	"testing"
)

// namedTwiceCases are resources with a unique name on their instance, with the arguments
// of one and the request that creates it.
var namedTwiceCases = map[string]struct{ arguments, what, created string }{
	"hosting_app":                {"name = \"shop\"\n  repo = \"octo/web\"\n  deletion_protection = false", "app shop", "/instances/*/apps/import"},
	"hosting_postgres_database":  {"name = \"orders\"\n  deletion_protection = false", "database orders", "/instances/*/postgres/databases"},
	"hosting_postgres_extension": {"name = \"pgcrypto\"\n  database = \"main\"", "extension pgcrypto in database main", "/instances/*/postgres/extensions/pgcrypto"},
}

func TestSecondResourceOfOneName(t *testing.T) {
	t.Parallel()
	for kind, c := range namedTwiceCases {
		t.Run(kind, func(t *testing.T) {
			fake := seeded(t)
			conflict := "Two resources manage " + c.what + " of instance i-one"
			first := settingHCL(kind, "first", `"i-one"`, c.arguments)
			second := settingHCL(kind, "second", `"i-one"`, c.arguments)
			w := newWorkspace(t, fake, first+second)
			w.says(0, []string{"Warning: " + conflict}, "plan")
			changedNothing(t, fake)

			// One that exists, and one with the same name on another instance.
			w.configure(first + settingHCL(kind, "other", `"i-two"`, c.arguments))
			w.apply()
			r := w.run("plan", "-no-color", "-replace="+kind+".first")
			must(t, r.exit == 0 && !strings.Contains(r.output, "Two resources"), "the plan: got exit %d, want 0 and no error about two resources:\n%s", r.exit, r.output)
			w.configure(first + settingHCL(kind, "other", `"i-two"`, c.arguments) + second)
			w.says(1, []string{"Error: " + conflict}, "plan")

			// The same name at another address, in place of the first one.
			w.configure(second)
			r = w.run("plan", "-no-color")
			must(t, r.exit == 0 && !strings.Contains(r.output, "Two resources"), "the plan: got exit %d, want 0 and no error about two resources:\n%s", r.exit, r.output)
		})
	}
}

// If the instance does not exist yet, only the apply can report the conflict. It sends
// only the first creation.
func TestSecondResourceOfOneNameOnANewInstance(t *testing.T) {
	t.Parallel()
	for kind, c := range namedTwiceCases {
		t.Run(kind, func(t *testing.T) {
			fake := startFake(t)
			instance := strings.Replace(instanceHCL(plainInstance), "{ postgres = {} }", "{ postgres = {}, apps = {} }", 1)
			of := func(name string) string { return settingHCL(kind, name, "hosting_instance.test.id", c.arguments) }
			w := newWorkspace(t, fake, instance+of("first")+of("second"))
			w.says(1, []string{"Two resources manage " + c.what + " of instance"}, "apply", "-auto-approve")
			if sent := fake.Count("POST", c.created) + fake.Count("PUT", c.created); sent != 1 {
				t.Errorf("creations that were sent: got %d, want 1", sent)
			}
			w.configure(instance + of("first"))
			if kept := fmt.Sprint(w.saved(kind, "first") != nil, w.saved(kind, "second") != nil); kept != "true false" && kept != "false true" {
				t.Errorf("the first and the second in the state: got %s, want one of them", kept)
			}
		})
	}
}
