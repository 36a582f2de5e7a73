package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests follow the advice of the error that says that it is unknown whether a
// script ran.

const scriptIsUnknown = "It is unknown whether the script ran on instance i-one"

// loseScriptAnswer loses the answer to the next script, which runs.
func loseScriptAnswer(fake *fakeservicetest.Server) {
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/engines/postgres/query", AfterCommit: true, Drop: true})
}

func mustHaveRun(t *testing.T, sql *recorder, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// Terraform plans to destroy a script without a block, even in a refresh. So the command
// that accepts an update only works with the block.
func TestUnknownUpdateIsAcceptedOnceTheBlockIsBack(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL("sql = \"one\"\ndestroy_sql = \"gone\""))
	w.apply()
	changed := scriptHCL("sql = \"two\"\ndestroy_sql = \"gone\"")
	w.configure(changed)
	loseScriptAnswer(fake)
	w.says(1, []string{scriptIsUnknown}, "apply", "-auto-approve")
	w.configure("")
	accept := []string{"apply", "-auto-approve", "-refresh-only", "-target=" + scriptAddress}
	advice := []string{scriptIsUnknown, "terraform apply -refresh-only -target=ADDRESS", "Put it back first."}
	w.says(1, advice, "apply", "-auto-approve")
	w.says(1, advice, accept...)
	w.configure(changed)
	w.says(0, nil, accept...)
	w.apply()
	w.configure("")
	w.says(0, []string{"1 destroyed"}, "apply", "-auto-approve")
	mustHaveRun(t, sql, "rw main: one", "rw main: two", "rw main: gone")
}

// The state of a script in sql with an unknown outcome has the version 0, which is not
// the version of write-only statements.
func TestWriteOnlyScriptOfAnyVersionRunsAfterUntaint(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		first, next string
		want        []string
	}{
		"sql, then sql_wo of version 0": {`sql = "one"`, "sql_wo = \"two\"\nsql_wo_version = 0", []string{"rw main: one", "rw main: two"}},
		"sql, then sql_wo of version 1": {`sql = "one"`, "sql_wo = \"two\"\nsql_wo_version = 1", []string{"rw main: one", "rw main: two"}},
		"sql_wo, then sql":              {"sql_wo = \"one\"\nsql_wo_version = 0", `sql = "two"`, []string{"rw main: one", "rw main: two"}},
		"sql_wo, then another version":  {"sql_wo = \"one\"\nsql_wo_version = 0", "sql_wo = \"two\"\nsql_wo_version = 1", []string{"rw main: one", "rw main: two"}},
		"sql_wo, then the same version": {"sql_wo = \"one\"\nsql_wo_version = 0", "sql_wo = \"one\"\nsql_wo_version = 0", []string{"rw main: one"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake, sql := startRecorded(t)
			w := newWorkspace(t, fake, scriptHCL(row.first))
			loseScriptAnswer(fake)
			w.says(1, []string{scriptIsUnknown}, "apply", "-auto-approve")
			w.says(0, nil, "untaint", scriptAddress)
			w.configure(scriptHCL(row.next))
			w.apply()
			w.mustBeSettled()
			mustHaveRun(t, sql, row.want...)
		})
	}
}
