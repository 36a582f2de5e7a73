package acceptance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
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
// that accepts an update only works with the block. OpenTofu only refreshes it.
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
	version, err := versionUnderTest()
	if err != nil {
		t.Fatal(err)
	}
	if version.Product != cliversion.OpenTofu {
		w.says(1, advice, accept...)
		w.configure(changed)
	}
	w.says(0, []string{"The refreshed state says that the script ran"}, accept...)
	w.configure(changed)
	w.apply()
	w.configure("")
	w.says(0, []string{"1 destroyed"}, "apply", "-auto-approve")
	mustHaveRun(t, sql, "rw main: one", "rw main: two", "rw main: gone")
}

// After terraform untaint, the state says that the outcome is unknown until the script is
// updated in place. Every other plan is refused, and the error says how to continue.
func TestUntaintedScriptIsAppliedBeforeAnotherChange(t *testing.T) {
	t.Parallel()
	const arguments = "sql = \"one\"\ndestroy_sql = \"gone\"\n"
	const apply, replace = "apply -auto-approve", " -replace=" + scriptAddress
	ignoring := scriptHCL(arguments + "lifecycle {\n ignore_changes = all\n}")
	onInstance := func(id string) string { return strings.Replace(scriptHCL(arguments), `"i-one"`, id, 1) }
	for name, row := range map[string]struct {
		ignores bool   // the block of the creation has ignore_changes
		next    string // the block of the other change, "" for none
		refused string // the command that refuses it
		change  string // the command that makes it after the advice was followed
		want    []string
	}{
		"no block":              {false, "", "plan", apply, []string{"gone"}},
		"ignored and destroyed": {true, ignoring, "plan -destroy", "destroy -auto-approve", []string{"gone"}},
		"another database":      {false, scriptHCL(arguments + `database = "main"`), "plan", apply, []string{"gone", "one"}},
		"another instance":      {false, onInstance(`"i-two"`), "plan", apply, []string{"gone", "one"}},
		// Terraform does not show the state to this plan, so the deletion refuses.
		"replaced on request": {false, scriptHCL(arguments), apply + replace, apply + replace, []string{"gone", "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake, sql := startRecorded(t)
			fake.AddInstance(fakeservice.Instance{ID: "i-two", Name: "two", Plan: "medium", Region: "eu-central", ConsoleMode: "off",
				Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
			w := newWorkspace(t, fake, scriptHCL(arguments))
			if row.ignores {
				w.configure(ignoring)
			}
			loseScriptAnswer(fake)
			w.says(1, []string{scriptIsUnknown}, "apply", "-auto-approve")
			w.says(0, nil, "untaint", scriptAddress)
			if row.ignores {
				w.mustBeSettled() // an apply does not remove the mark
			}
			w.configure(row.next)
			w.says(1, []string{
				scriptIsUnknown, "terraform untaint ADDRESS", "apply that alone", "If you have run it already, only apply.",
				"Deleted or changed the block since? Put it back first.", "Does it have ignore_changes? Remove that until then.",
			}, strings.Fields(row.refused)...)
			w.configure(scriptHCL(arguments))
			w.apply()
			w.mustBeSettled()
			w.configure(row.next)
			w.says(0, nil, strings.Fields(row.change)...)
			want := []string{"rw main: one"}
			for _, statement := range row.want {
				want = append(want, "rw main: "+statement)
			}
			mustHaveRun(t, sql, want...)
		})
	}
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

// With create_before_destroy, the successor has run when the deletion of a script of
// unknown outcome is refused. The guide that the error names has two ways to continue.
func TestDeposedScriptOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		steps  []string // in the guide
		follow func(t *testing.T, w *workspace)
		want   []string // after the error
	}{
		"edited state": {
			[]string{"`terraform state pull > state.json`", "`deposed`", "`serial`", "`terraform state push state.json`"},
			func(t *testing.T, w *workspace) {
				pulled, err := w.command("state", "pull").Output()
				must(t, err == nil, "state pull: %v", err)
				w.write("state.json", withoutDeposed(t, pulled))
				w.says(0, nil, "state", "push", "state.json")
			},
			[]string{"rw main: gone"},
		},
		"another run": {
			[]string{"`terraform state rm ADDRESS` and an apply"},
			func(_ *testing.T, w *workspace) {
				w.says(0, nil, "state", "rm", scriptAddress)
				w.apply()
			},
			[]string{"rw main: one", "rw main: gone"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fake, sql := startRecorded(t)
			loseScriptAnswer(fake)
			w := newWorkspace(t, fake, scriptHCL("sql = \"one\"\ndestroy_sql = \"gone\"\n"+createFirst))
			w.says(1, []string{scriptIsUnknown}, "apply", "-auto-approve")
			var r result
			for _, command := range []string{"apply -auto-approve", "plan", "destroy -auto-approve", "apply -auto-approve"} {
				r = w.says(1, []string{scriptIsUnknown, "Deposed?"}, strings.Fields(command)...)
			}
			ran := []string{"rw main: one", "rw main: one"}
			mustHaveRun(t, sql, ran...)

			section := regexp.MustCompile(`Deposed\? See "(.+)" in the guide "Protecting and destroying"`).FindStringSubmatch(r.output)
			must(t, section != nil, "the error: got\n%s\nwant a guide in it", r.output)
			mustDescribe(t, section[1], row.steps...)
			row.follow(t, w)
			w.mustBeSettled()
			w.says(0, []string{"1 destroyed"}, "destroy", "-auto-approve")
			mustHaveRun(t, sql, append(ran, row.want...)...)
		})
	}
}

// withoutDeposed returns the next version of a state, without its deposed objects.
func withoutDeposed(t *testing.T, text []byte) string {
	t.Helper()
	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	state["serial"] = state["serial"].(float64) + 1
	for _, resource := range state["resources"].([]any) {
		resource := resource.(map[string]any)
		resource["instances"] = slices.DeleteFunc(resource["instances"].([]any), func(object any) bool {
			return object.(map[string]any)["deposed"] != nil
		})
	}
	edited, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return string(edited)
}
