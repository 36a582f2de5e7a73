package acceptance

import (
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// changedNothing checks that the fake got no request that changes something.
func changedNothing(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	for _, request := range fake.Requests() {
		must(t, request.Method == http.MethodGet, "requests of the plan: got %s %s, want only GET", request.Method, request.Path)
	}
}

func TestFiltersThatMatchNothing(t *testing.T) {
	fake := seeded(t)
	w := newWorkspace(t, fake, "")
	for _, c := range []struct {
		body string
		exit int
		text string
	}{
		{`data "hosting_instances" "x" { plan = "medum" }`, 1, `There is no plan "medum"; did you mean "medium"?`},
		{`data "hosting_instances" "x" { region = "eu-centrl" }`, 1, `There is no region "eu-centrl"; did you mean "eu-central"?`},
		{`data "hosting_instances" "x" { status = "runnin" }`, 0, `There is no instance status "runnin"; did you mean "running"?`},
		{`data "hosting_locations" "x" { country = "de" }`, 0, `There is no location in country "de"; did you mean "DE"?`},
		{`data "hosting_plans" "x" { min_memory_mb = 999999 }`, 0, "The filters match no plan"},
		{"data \"hosting_backups\" \"x\" {\n instance_id = \"i-one\"\n kind = \"dayly\"\n}", 0, `There is no kind of backup "dayly"; did you mean "daily"?`},
		{"data \"hosting_app_builds\" \"x\" {\n instance_id = \"i-one\"\n app = \"web\"\n status = \"sucesfull\"\n}", 0, `There is no build status "sucesfull"; did you mean "successful"?`},
		{"data \"hosting_app_builds\" \"x\" {\n instance_id = \"i-one\"\n app = \"wbe\"\n}", 1, `There is no app "wbe"; did you mean "web"?`},
		{`data "hosting_billing" "x" { status = "canceled" }`, 0, `There is no subscription status "canceled"; did you mean "cancelled"?`},
	} {
		w.configure(c.body)
		w.says(c.exit, []string{c.text}, "plan")
	}
	changedNothing(t, fake)
}

// A plan or region that the service no longer offers is not a misspelling while an
// instance uses it.
func TestFiltersByWhatIsInUse(t *testing.T) {
	fake := seeded(t)
	fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.Plan, i.Region = "retired", "moon" })
	run(t, resource.TestStep{Config: config(fake, "%s", `data "hosting_instances" "x" {
  plan   = "retired"
  region = "moon"
}`), ConfigPlanChecks: emptyPlan})
}

func TestQueryFiltersThatMatchNothing(t *testing.T) {
	needs(t, listResources)
	fake := seeded(t)
	w := newWorkspace(t, fake, "")
	w.write("all.tfquery.hcl", "list \"hosting_instance\" \"all\" {\n provider = hosting\n config {\n status = \"runnin\"\n }\n}\n")
	w.says(0, []string{`did you mean "running"?`}, "query")
	w.write("all.tfquery.hcl", "list \"hosting_instance\" \"all\" {\n provider = hosting\n config {\n plan = \"medum\"\n }\n}\n")
	w.says(1, []string{`did you mean "medium"?`}, "query")
	changedNothing(t, fake)
}
