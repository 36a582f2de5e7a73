package acceptance

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestWriteOnlyScriptLifecycle(t *testing.T) {
	fake, sql := startRecorded(t)
	null := func(attribute string) statecheck.StateCheck {
		return shows(scriptAddress, knownvalue.Null(), attribute)
	}
	updates := plans(scriptAddress, plancheck.ResourceActionUpdate)
	run(t,
		resource.TestStep{
			Config:            config(fake, "%s", scriptHCL("sql_wo = \"one\"\nsql_wo_version = 1")),
			ConfigPlanChecks:  emptyPlan,
			ConfigStateChecks: []statecheck.StateCheck{null("sql"), null("sql_wo"), shows(scriptAddress, knownvalue.Int64Exact(1), "sql_wo_version")},
		},
		resource.TestStep{ // sql_wo changes, but its version does not
			Config:           config(fake, "%s", scriptHCL("sql_wo = \"two\"\nsql_wo_version = 1")),
			ConfigPlanChecks: plans(scriptAddress, plancheck.ResourceActionNoop),
		},
		resource.TestStep{Config: config(fake, "%s", scriptHCL("sql_wo = \"two\"\nsql_wo_version = 2")), ConfigPlanChecks: updates},
		resource.TestStep{ // runs no statement
			Config:           config(fake, "%s", scriptHCL("sql_wo = \"two\"\nsql_wo_version = 2\ndestroy_sql = \"gone\"")),
			ConfigPlanChecks: updates,
		},
		resource.TestStep{Config: config(fake, "%s", scriptHCL("sql = \"three\"\ndestroy_sql = \"gone\"")), ConfigPlanChecks: updates},
		resource.TestStep{ // known only during the apply
			Config: config(fake, "%s", `
resource "terraform_data" "later" { input = { sql = "four", version = 4 } }
`+scriptHCL("sql_wo = terraform_data.later.output.sql\nsql_wo_version = terraform_data.later.output.version\ndestroy_sql = \"gone\"")),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: []statecheck.StateCheck{null("sql"), null("sql_wo"), shows(scriptAddress, knownvalue.Int64Exact(4), "sql_wo_version")},
		},
	)
	want := []string{"rw main: one", "rw main: two", "rw main: three", "rw main: four", "rw main: gone"}
	if diff := cmp.Diff(want, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// Neither the statements nor the strings in them reach a file or a log, not even when
// Postgres quotes them.
func TestWriteOnlyScriptReachesNoFileAndNoLog(t *testing.T) {
	fake, sql := startRecorded(t)
	script := "ALTER ROLE app PASSWORD 'canary-password'"
	w := newWorkspace(t, fake, `
variable "password" {
  type      = string
  ephemeral = true
}
`+scriptHCL("sql_wo = \"ALTER ROLE app PASSWORD '${var.password}'\"\nsql_wo_version = 1"))
	w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.folder, "trace.log"), "TF_VAR_password=canary-password")
	sql.fail(script, &fakeservice.SQLError{Message: `password "canary-password" is too weak`, SQLState: "22023"})
	refused := w.run("apply", "-auto-approve", "-no-color")
	must(t, refused.exit == 1 && strings.Contains(refused.output, `Password "(secret)" is too weak`), "the first apply: got exit %d, want 1 and the error without the password:\n%s", refused.exit, refused.output)
	sql.fail(script, nil)
	planned := w.run("plan", "-no-color", "-out=saved.plan")
	applied := w.run("apply", "-no-color", "saved.plan")
	must(t, applied.exit == 0, "the second apply: got exit %d, want 0:\n%s", applied.exit, applied.output)
	must(t, cmp.Equal(sql.statements(), []string{"rw main: " + script, "rw main: " + script}), "statements: got %v, want the script twice", sql.statements())
	for place, text := range map[string]string{
		"output": refused.output + planned.output + applied.output, "state": w.read("terraform.tfstate"), "TRACE log": w.read("trace.log"),
		"plan file": unzipped(t, filepath.Join(w.folder, "saved.plan")), "show -json plan": w.run("show", "-json", "saved.plan").output,
	} {
		if len(text) < 100 {
			t.Errorf("the %s: got %q, want at least 100 bytes", place, text)
		}
		if at := strings.Index(text, "canary"); at >= 0 {
			t.Errorf("the %s holds the password: …%s…", place, text[max(0, at-200):at+20])
		}
	}
}
