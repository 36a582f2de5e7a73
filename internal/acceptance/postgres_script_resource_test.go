package acceptance

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A recorder replaces the database, because these tests are about the console and the
// order of requests. The tests with a data plane check that SQL really runs.
type recorder struct {
	mu    sync.Mutex
	ran   []string // "mode database: sql"
	fails map[string]*fakeservice.SQLError
	wait  func()
}

func (r *recorder) Query(_ context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
	r.mu.Lock()
	wait := r.wait
	r.mu.Unlock()
	if wait != nil {
		wait()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran = append(r.ran, q.Mode+" "+q.Database+": "+q.SQL)
	if err := r.fails[q.SQL]; err != nil {
		return fakeservice.QueryResult{}, err
	}
	return fakeservice.QueryResult{Command: "OK"}, nil
}

// fail makes a statement fail, or succeed again if err is nil.
func (r *recorder) fail(sql string, err *fakeservice.SQLError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails[sql] = err
}

// waitFor sets what each statement waits for; nil means nothing.
func (r *recorder) waitFor(wait func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wait = wait
}

func (r *recorder) statements() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.ran...)
}

// startRecorded starts a fake that has an instance i-one and records its SQL.
func startRecorded(t *testing.T) (*fakeservicetest.Server, *recorder) {
	t.Helper()
	r := &recorder{fails: map[string]*fakeservice.SQLError{}}
	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed, o.Querier = testSpeed, r })
	fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "medium", Region: "eu-central", ConsoleMode: "off",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}})
	return fake, r
}

func scriptHCL(arguments string) string {
	return "resource \"hosting_postgres_script\" \"test\" {\n  instance_id = \"i-one\"\n  " + arguments + "\n}\n"
}

const scriptAddress = "hosting_postgres_script.test"

// modes returns the modes that the console was set to, in order.
func modes(fake *fakeservicetest.Server) []string {
	var all []string
	for _, request := range fake.Requests() {
		if request.Method == "PUT" && strings.HasSuffix(request.Path, "/sql-console") && request.Status == 202 {
			all = append(all, strings.TrimSuffix(strings.TrimPrefix(string(request.Body), `{"mode":"`), `"}`))
		}
	}
	return all
}

func TestScriptLifecycle(t *testing.T) {
	fake, sql := startRecorded(t)
	run(t,
		resource.TestStep{Config: config(fake, "%s", scriptHCL(`sql = "one"`)), ConfigPlanChecks: emptyPlan},
		resource.TestStep{Config: config(fake, "%s", scriptHCL("sql = \"two\"\ndestroy_sql = \"gone\"")), ConfigPlanChecks: plans(scriptAddress, plancheck.ResourceActionUpdate)},
		resource.TestStep{ // runs no statement
			Config:           config(fake, "%s", scriptHCL("sql = \"two\"\ndestroy_sql = \"gone\"\ntimeouts = { delete = \"7m\" }")),
			ConfigPlanChecks: plans(scriptAddress, plancheck.ResourceActionUpdate),
		},
		resource.TestStep{Config: config(fake, "%s", scriptHCL("sql = \"two\"\ndestroy_sql = \"gone\"\ndatabase = \"main\"")), ConfigPlanChecks: plans(scriptAddress, plancheck.ResourceActionDestroyBeforeCreate)},
	)
	want := []string{"rw main: one", "rw main: two", "rw main: gone", "rw main: two", "rw main: gone"}
	if diff := cmp.Diff(want, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"rw", "off", "rw", "off", "rw", "off", "rw", "off", "rw", "off"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
}

// Both ways to resolve an unknown outcome do what the error says.
func TestScriptOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	first, second := "rw main: one", "rw main: two"
	for name, row := range map[string]struct {
		updates bool // the outcome of an update is unknown, not that of the creation
		decide  []string
		want    []string
	}{
		"it ran":                   {false, []string{"untaint", scriptAddress}, []string{first}},
		"it is to run again":       {false, []string{"state", "rm", scriptAddress}, []string{first, first}},
		"the update ran":           {true, []string{"apply", "-auto-approve", "-refresh-only"}, []string{first, second}},
		"the update is to run now": {true, []string{"state", "rm", scriptAddress}, []string{first, second, second}},
	} {
		t.Run(name, func(t *testing.T) {
			fake, sql := startRecorded(t)
			w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
			if row.updates {
				w.apply()
				w.configure(scriptHCL(`sql = "two"`))
			}
			fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/engines/postgres/query", AfterCommit: true, Drop: true})
			w.says(1, []string{"It is unknown whether the script ran"}, "apply", "-auto-approve")
			for _, command := range []string{"plan -destroy", "apply -auto-approve", "apply -auto-approve -refresh=false", "destroy -auto-approve"} {
				w.says(1, []string{"It is unknown whether the script ran", "terraform " + row.decide[0]}, strings.Fields(command)...)
			}
			told := []string(nil)
			if row.updates && row.decide[0] == "apply" {
				told = []string{"The refreshed state says that the script ran"}
			}
			w.says(0, told, row.decide...)
			w.apply()
			w.mustBeSettled()
			if diff := cmp.Diff(row.want, sql.statements()); diff != "" {
				t.Errorf("statements (-want +got):\n%s", diff)
			}
			i, _ := fake.Instance("i-one")
			must(t, i.ConsoleMode == "off", "the console: got %s, want off", i.ConsoleMode)

			// Later changes run as usual.
			w.configure(scriptHCL(`sql = "three"`))
			w.apply()
			w.mustBeSettled()
			if ran := sql.statements(); ran[len(ran)-1] != "rw main: three" {
				t.Errorf("statements: got %v, want rw main: three at the end", ran)
			}
			w.says(0, nil, "destroy", "-auto-approve")
		})
	}
}

// A console whose mode only the instance's record reports is restored, too.
func TestScriptRestoresAModeThatTheRecordReports(t *testing.T) {
	fake, sql := startRecorded(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/sql-console", Times: -1, Rewrite: func(record map[string]any) { delete(record, "mode") }})
	newWorkspace(t, fake, scriptHCL(`sql = "one"`)).apply()
	if diff := cmp.Diff([]string{"rw", "off"}, modes(fake)); diff != "" || len(sql.statements()) != 1 {
		t.Errorf("%v ran; the modes of the console (-want +got):\n%s", sql.statements(), diff)
	}
}

// The console of a service that does not report its mode is left as it is, because it could
// not be restored.
func TestScriptWithoutAReportedConsoleMode(t *testing.T) {
	fake, sql := startRecorded(t)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/**", Times: -1, Rewrite: func(record map[string]any) {
		delete(record, "mode")
		delete(record, "console_mode")
	}})
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	w.says(1, []string{"console_off"}, "apply", "-auto-approve")
	must(t, len(modes(fake)) == 0 && len(sql.statements()) == 0, "got the console's modes %v and the statements %v, want neither", modes(fake), sql.statements())
	fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "rw" })
	w.apply()
	w.mustBeSettled()
	if diff := cmp.Diff([]string{"rw main: one"}, sql.statements()); diff != "" || len(modes(fake)) > 0 {
		t.Errorf("the console was set to %v, statements (-want +got):\n%s", modes(fake), diff)
	}
}
