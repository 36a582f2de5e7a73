package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// says runs the CLI, and checks its exit code and that its output contains texts.
func (w *workspace) says(exit int, texts []string, args ...string) result {
	w.t.Helper()
	r := w.run(append(args, "-no-color")...)
	must(w.t, r.exit == exit, "%v ended with exit %d, want %d:\n%s", args, r.exit, exit, r.output)
	for _, text := range texts {
		must(w.t, strings.Contains(r.output, text), "%v does not say %q:\n%s", args, text, r.output)
	}
	return r
}

func TestPlansTellOfDataLoss(t *testing.T) {
	fake := seededApps(t)
	body := `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = %q
  engines = { postgres = {}%s }
  deletion_protection = false
}
resource "hosting_app" "test" {
  instance_id = "i-one"
  name        = %q
  repo        = "octo/app"
  deletion_protection = false
}
resource "hosting_postgres_database" "test" {
  instance_id         = "i-one"
  name                = %q
  deletion_protection = false
}
resource "hosting_allowlist" "test" {
  instance_id = "i-one"
  cidrs       = %s
  on_destroy  = %q
}`
	w := newWorkspace(t, fake, fmt.Sprintf(body, "eu-central", ", redis = {}", "app", "db", `["192.0.2.1"]`, "keep"))
	w.apply()

	w.configure(fmt.Sprintf(body, "eu-central", "", "other", "other", `[]`, "keep"))
	w.says(0, []string{
		"Turning an engine off deletes its data", "turns the redis engine of instance test",
		"The data of an app will be lost", "replaces app app of instance i-one",
		"All data of a database will be lost", "drops database db of instance i-one",
		"The instance will be open to the internet",
	}, "plan")

	w.configure(fmt.Sprintf(body, "us-east", ", redis = {}", "app", "db", `["192.0.2.1"]`, "keep"))
	w.says(0, []string{"All data of an instance will be lost", "The plan replaces instance test", "all data of postgres, redis and the instance's backups"}, "plan")

	w.configure(fmt.Sprintf(body, "eu-central", ", redis = {}", "app", "db", `["192.0.2.1"]`, "keep"))
	w.says(0, []string{"All data of an instance will be lost", "The plan destroys instance test", "The data of an app will be lost",
		"All data of a database will be lost", "drops database db of instance i-one", "The allowlist is not emptied", "The allowlist of instance i-one is destroyed"}, "plan", "-destroy")

	w.configure(fmt.Sprintf(body, "eu-central", ", redis = {}", "app", "db", `["192.0.2.1"]`, "open"))
	w.apply()
	w.says(0, []string{"The instance will be open to the internet", "The allowlist of instance i-one is destroyed"}, "plan", "-destroy")
}

// The plan refuses -replace. Delete refuses a taint, which no plan can refuse.
func TestProtectionHoldsAgainstReplaceAndTaint(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1)+`
resource "hosting_postgres_database" "test" {
  instance_id = "i-one"
  name        = "orders"
}`)
	w.apply()
	for address, text := range map[string]string{
		"hosting_instance.test":          "is protected from deletion",
		"hosting_postgres_database.test": "Database orders is protected from deletion",
	} {
		w.says(1, []string{text}, "apply", "-auto-approve", "-replace="+address)
		w.says(0, nil, "taint", address)
		w.says(1, []string{text}, "apply", "-auto-approve")
		w.says(0, nil, "untaint", address)
	}
	w.mustBeSettled()
	must(t, jobsOf(fake, "delete")+jobsOf(fake, "database_drop") == 0, "something was deleted")
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
}

// A CLI shows one of several warnings with the same summary, and counts the others.
func TestWarningsOfLossAreFolded(t *testing.T) {
	t.Parallel()
	instance := func(engines string) string {
		return "resource \"hosting_instance\" \"test\" {\n  count = 2\n  name = \"shop-${count.index}\"\n  plan = \"free\"\n  region = \"eu-central\"\n" +
			"  engines = " + engines + "\n  deletion_protection = false\n}\n"
	}
	const unprotected = "\ndeletion_protection = false"
	databases := settingHCL("hosting_postgres_database", "test", `"i-one"`, "count = 2\n  name = \"db_${count.index}\""+unprotected)
	for name, c := range map[string]struct{ before, after string }{
		"instances":         {instance("{ postgres = {} }"), ""},
		"engines":           {instance("{ postgres = {}, redis = {} }"), instance("{ postgres = {} }")},
		"apps":              {settingHCL("hosting_app", "test", `"i-one"`, "count = 2\n  repo = \"octo/app\"\n  memory_mb = 512\n  name = \"app-${count.index}\""+unprotected), ""},
		"databases":         {databases, ""},
		"extensions":        {databases + settingHCL("hosting_postgres_extension", "test", `"i-one"`, "count = 2\n  database = hosting_postgres_database.test[count.index].name\n  name = \"pgcrypto\""), ""},
		"allowlists kept":   {settingHCL("hosting_allowlist", "test", `["i-one", "i-two"][count.index]`, "count = 2\n  cidrs = [\"192.0.2.1\"]"), ""},
		"allowlists opened": {settingHCL("hosting_allowlist", "test", `["i-one", "i-two"][count.index]`, "count = 2\n  cidrs = [\"192.0.2.1\"]\n  on_destroy = \"open\""), ""},
		"allowlists emptied": {settingHCL("hosting_allowlist", "test", `["i-one", "i-two"][count.index]`, "count = 2\n  cidrs = [\"192.0.2.1\"]"),
			settingHCL("hosting_allowlist", "test", `["i-one", "i-two"][count.index]`, "count = 2\n  cidrs = []")},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			fake.AddInstance(fakeservice.Instance{ID: "i-two", Name: "two", Plan: "free", Region: "eu-central"})
			w := newWorkspace(t, fake, c.before)
			w.apply()
			args := []string{"plan", "-destroy"}
			if c.after != "" {
				w.configure(c.after)
				args = args[:1]
			}
			r := w.says(0, []string{"(and one more similar warning elsewhere)"}, args...)
			summaries := map[string]bool{}
			for _, line := range strings.Split(r.output, "\n") {
				if strings.HasPrefix(line, "Warning: ") && summaries[line] {
					t.Errorf("the output: got %q twice, want it once:\n%s", line, r.output)
				}
				summaries[line] = true
			}
		})
	}
}
