package acceptance

import "testing"

// A drift alarm runs this command, and 2 means drift. Terraform 1.11 ends with 2 if a map of
// objects, such as engines, has an element, although the state that it would write is equal.
func TestRefreshOnlyPlanWithoutDrift(t *testing.T) {
	needs(t, actionFailures) // the oldest version with this feature is known to end with 0
	const instance = "resource \"hosting_instance\" \"shop\" {\n  name = \"shop\"\n  plan = \"free\"\n  region = \"eu-central\"\n  deletion_protection = false\n"
	w := newWorkspace(t, startFake(t), instance+"  engines = { postgres = {} }\n}\n")
	w.apply()
	w.says(0, []string{"No changes"}, "plan", "-refresh-only", "-detailed-exitcode", "-no-color")
}
