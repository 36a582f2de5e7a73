package acceptance

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
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

func TestScriptInvalid(t *testing.T) {
	fake, _ := startRecorded(t)
	run(t,
		refuses(config(fake, "%s", scriptHCL(`sql = ""`)), "sql must not be empty."),
		refuses(config(fake, "%s", scriptHCL("sql = \"one\"\ndatabase = \"\"")), "database must not be empty."),
	)
}

func TestScriptPutsTheConsoleBack(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		found string
		want  []string
	}{
		"off":                 {"off", []string{"rw", "off"}},
		"ro":                  {"ro", []string{"rw", "ro"}},
		"rw is left as it is": {"rw", nil},
	}
	for name, row := range rows {
		for _, fails := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				fake, sql := startRecorded(t)
				fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = row.found })
				step := resource.TestStep{Config: config(fake, "%s", scriptHCL(`sql = "one"`))}
				if fails {
					sql.fail("one", &fakeservice.SQLError{Message: `syntax error at or near "one"`, SQLState: "42601"})
					step.ExpectError = wrapped(`Syntax error at or near "one" (SQLSTATE 42601)`)
				}
				run(t, step)
				if diff := cmp.Diff(row.want, modes(fake)); diff != "" {
					t.Errorf("modes of the console (-want +got):\n%s", diff)
				}
				if n := len(sql.statements()); n != 1 {
					t.Errorf("statements: got %d, want 1", n)
				}
			})
		}
	}
}

func TestScriptInterruptedPutsTheConsoleBack(t *testing.T) {
	fake, sql := startRecorded(t)
	running, finish := make(chan struct{}), make(chan struct{})
	sql.waitFor(func() { close(running); <-finish })
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	apply := w.start("apply", "-auto-approve", "-no-color")
	<-running
	apply.signal(syscall.SIGINT)
	close(finish)
	apply.wait()
	if diff := cmp.Diff([]string{"rw", "off"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
	sql.waitFor(nil)
	w.apply()
	w.mustBeSettled()
	if n := len(sql.statements()); n != 1 {
		t.Errorf("statements: got %d, want 1: the script ran, and was saved", n)
	}
}

// The console is closed after the apply has found it open. Another process, which had
// opened the console, does that when it restores the mode.
func TestScriptClosedMidwayIsOpenedAgain(t *testing.T) {
	fake, sql := startRecorded(t)
	var once sync.Once
	fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "rw" }) // opened by the other process
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/sql-console", Rewrite: func(map[string]any) {
		once.Do(func() {
			go fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "off" })
		})
		machine.Until(t, "the other closes the console", func() bool { i, _ := fake.Instance("i-one"); return i.ConsoleMode == "off" })
	}})
	run(t, resource.TestStep{Config: config(fake, "%s", scriptHCL(`sql = "one"`))})
	if n := len(sql.statements()); n != 1 {
		t.Errorf("statements: got %d, want 1", n)
	}
	if diff := cmp.Diff([]string{"rw", "off"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
}

func TestScriptIsNotSentTwice(t *testing.T) {
	fake, sql := startRecorded(t)
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/engines/postgres/query", AfterCommit: true, Drop: true})
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	unknown := []string{"It is unknown whether the script ran on instance i-one", "terraform untaint ADDRESS", "terraform state rm ADDRESS"}
	w.says(1, unknown, "apply", "-auto-approve")
	if diff := cmp.Diff([]string{"rw", "off"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
	for _, command := range []string{"apply -auto-approve", "apply -auto-approve -refresh=false", "destroy -auto-approve", "plan -destroy"} {
		w.says(1, unknown, strings.Fields(command)...)
	}
	if diff := cmp.Diff([]string{"rw main: one"}, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
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

// If a person closes the console while a script runs, it stays closed.
func TestScriptLeavesAConsoleThatSomebodyHasSet(t *testing.T) {
	fake, sql := startRecorded(t)
	fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "ro" })
	sql.waitFor(func() { fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "off" }) })
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	w.apply()
	if diff := cmp.Diff([]string{"rw"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
	w.mustBeSettled()
}

// A script that Postgres refuses is not sent again, even if the console was closed in the
// meantime: statements that it has committed would take effect twice.
func TestScriptThatIsRefusedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, refusal := range []fakeservice.SQLError{
		{Message: "duplicate key value violates unique constraint", SQLState: "23505"},
		{Message: "permission denied to create role", SQLState: "42501"},
	} {
		t.Run(refusal.SQLState, func(t *testing.T) {
			fake, sql := startRecorded(t)
			sql.fail("one", &refusal)
			sql.waitFor(func() { fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "off" }) })
			w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
			w.says(1, []string{refusal.Message[1:]}, "apply", "-auto-approve")
			if diff := cmp.Diff([]string{"rw main: one"}, sql.statements()); diff != "" {
				t.Errorf("statements (-want +got):\n%s", diff)
			}
		})
	}
}

// A script that takes longer than request_timeout is applied, with the console open until
// the script ends.
func TestScriptOutlastsTheRequestTimeout(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, "provider \"hosting\" {\n  request_timeout = \"5s\"\n}\n"+scriptHCL(`sql = "one"`))
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/engines/postgres/query", AfterCommit: true, Delay: 8 * time.Second})
	w.apply()
	w.mustBeSettled()
	if diff := cmp.Diff([]string{"rw main: one"}, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"rw", "off"}, modes(fake)); diff != "" {
		t.Errorf("modes of the console (-want +got):\n%s", diff)
	}
}

func TestScriptWhoseConsoleCannotBePutBackSaysSoLoudly(t *testing.T) {
	fake, sql := startRecorded(t)
	fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/sql-console", Skip: 1, Times: -1, Status: 422, Code: "validation_failed", Detail: "stuck"})
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	r := w.run("apply", "-auto-approve", "-no-color")
	if !strings.Contains(r.output, "The SQL console of instance i-one was left in mode rw and must be set to off by hand") {
		t.Errorf("the apply: got exit %d, want the warning that the console was left in mode rw:\n%s", r.exit, r.output)
	}
	w.mustBeKept("hosting_postgres_script", "test")
	if n := len(sql.statements()); n != 1 {
		t.Errorf("statements: got %d, want 1", n)
	}
}

// stuck makes the console's mode impossible to restore, once.
func stuck(fake *fakeservicetest.Server) {
	fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/sql-console", Skip: 1, Status: 422, Code: "validation_failed", Detail: "stuck"})
}

func TestDestroySQLRunsOnceThoughTheConsoleCannotBePutBack(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL("sql = \"one\"\ndestroy_sql = \"gone\""))
	w.apply()
	stuck(fake)
	w.says(0, []string{"The script ran, but the SQL console mode was not restored", "must be set to off by hand"}, "destroy", "-auto-approve")
	if w.saved("hosting_postgres_script", "test") != nil {
		t.Error("the script is still in the state")
	}
	w.says(0, nil, "destroy", "-auto-approve")
	if diff := cmp.Diff([]string{"rw main: one", "rw main: gone"}, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

func TestChangedScriptRunsOnceThoughTheConsoleCannotBePutBack(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL(`sql = "one"`))
	w.apply()
	stuck(fake)
	w.configure(scriptHCL(`sql = "two"`))
	r := w.apply()
	if !strings.Contains(r.output, "The script ran, but the SQL console mode was not restored") || strings.Contains(r.output, "Unable to run") {
		t.Errorf("the apply: got\n%s\nwant only the warning that the console mode was not restored", r.output)
	}
	w.mustBeSettled()
	if diff := cmp.Diff([]string{"rw main: one", "rw main: two"}, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// If the response to destroy_sql is lost, it is unknown whether it ran. The destroy does
// not send it again, and the error says how to continue if it ran.
func TestDestroySQLWhoseAnswerIsLost(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL("sql = \"one\"\ndestroy_sql = \"gone\""))
	w.apply()
	fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/*/engines/postgres/query", AfterCommit: true, Drop: true})
	w.says(1, []string{"it is unknown whether the service carried it out", "terraform state rm"}, "destroy", "-auto-approve")
	w.says(0, nil, "state", "rm", scriptAddress)
	w.says(0, nil, "destroy", "-auto-approve")
	if diff := cmp.Diff([]string{"rw main: one", "rw main: gone"}, sql.statements()); diff != "" {
		t.Errorf("statements (-want +got):\n%s", diff)
	}
}

// Two processes apply five scripts each on one instance at the same time.
func TestScriptsOfTwoProcessesLeaveTheConsoleOff(t *testing.T) {
	fake, sql := startRecorded(t)
	body := `
resource "hosting_postgres_script" "many" {
  count       = 5
  instance_id = "i-one"
  sql         = "statement ${count.index}"
}`
	one, other := newWorkspace(t, fake, body), newWorkspaceBeside(t, fake, body)
	first, second := one.start("apply", "-auto-approve", "-no-color"), other.start("apply", "-auto-approve", "-no-color")
	for _, apply := range []*started{first, second} {
		if r := apply.wait(); r.exit != 0 {
			t.Errorf("the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		}
	}
	if n := len(sql.statements()); n != 10 {
		t.Errorf("statements: got %d, want 10", n)
	}
	if instance, _ := fake.Instance("i-one"); instance.ConsoleMode != "off" {
		t.Errorf("the mode of the console at the end: got %s, want off", instance.ConsoleMode)
	}
}

// Everything that a script made is deleted with its engine. The script can then be
// destroyed, and runs again after the engine is turned on.
func TestScriptGoesWithItsEngine(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL("sql = \"one\"\ndestroy_sql = \"gone\""))
	w.apply()
	engines := func(on map[string]*fakeservice.Engine) {
		fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.Engines = on })
	}
	engines(map[string]*fakeservice.Engine{})
	w.says(0, []string{"What a script made on instance i-one is gone", "1 to add"}, "plan")
	w.says(0, []string{"1 destroyed"}, "destroy", "-auto-approve", "-no-color", "-refresh=false")
	must(t, len(sql.statements()) == 1, "statements: got %v, want one", sql.statements())
	engines(map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}})
	w.apply()
	w.mustBeSettled()
	must(t, len(sql.statements()) == 2, "statements: got %v, want two", sql.statements())
}

// A record without engines does not prove that the script's engine is off.
func TestScriptStaysWhereEnginesAreNotTold(t *testing.T) {
	fake, sql := startRecorded(t)
	w := newWorkspace(t, fake, scriptHCL("sql = \"one\""))
	w.apply()
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/i-one", Times: -1, Rewrite: func(body map[string]any) { body["engines"] = nil }})
	w.apply()
	must(t, len(sql.statements()) == 1, "statements: got %v, want one", sql.statements())
	w.mustBeSettled()
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
