package acceptance

import (
	"strings"
	"testing"
)

// An apply plans again each object that it changes. After the first change, the provider
// knows that the process applies, and it does not repeat the plan's warnings. Before
// that, an apply looks like a plan with -refresh=false, which must warn.
func TestWarningsAreNotRepeatedAfterTheFirstChange(t *testing.T) {
	fake := startFake(t)
	const body = `
resource "hosting_instance" "first" {
  name                = "NAME"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = false
}
resource "hosting_instance" "second" {
  name                = "second"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}REDIS }
  deletion_protection = false
  depends_on          = [hosting_instance.first]
}`
	configured := func(name, redis string) string {
		return strings.NewReplacer("NAME", name, "REDIS", redis).Replace(body)
	}
	const warning = "Warning: Turning an engine off deletes its data"
	w := newWorkspace(t, fake, configured("first", ", redis = {}"))
	w.apply()

	w.configure(configured("renamed", ""))
	w.says(0, []string{warning}, "plan", "-refresh=false")
	w.says(0, []string{warning}, "plan", "-out=saved.tfplan")
	r := w.run("apply", "-no-color", "saved.tfplan")
	must(t, r.exit == 0 && !strings.Contains(r.output, warning), "the apply: got exit %d, want 0 and no repeated warning:\n%s", r.exit, r.output)
}
