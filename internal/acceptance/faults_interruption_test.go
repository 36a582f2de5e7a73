package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// An asyncCase is a resource on the seeded instance whose creation, update and deletion
// each wait for a job.
type asyncCase struct {
	kind            string
	created         string // configuration
	changed         string // the configuration of a change in place
	create, update  string // the jobs' operations
	destroy         string
	keptAfterCreate bool // with a warning and untainted; otherwise with an error and not in the state
}

var asyncCases = []asyncCase{
	{
		kind: "hosting_instance", keptAfterCreate: true,
		created: instanceHCL(plainInstance), changed: strings.Replace(instanceHCL(plainInstance), `"test"`+"\n  plan", `"other"`+"\n  plan", 1),
		create: "create", update: "update", destroy: "delete",
	},
	{
		kind: "hosting_app", keptAfterCreate: true,
		created: oneApp("deletion_protection = false"),
		changed: oneApp("deletion_protection = false\nport = 8080"),
		create:  "app_import", update: "app_update", destroy: "app_delete",
	},
	{
		kind: "hosting_postgres_database", keptAfterCreate: true,
		created: "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n deletion_protection = false\n}",
		create:  "database_create", destroy: "database_drop",
	},
	{
		kind:    "hosting_allowlist",
		created: "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.0/24\"]\n on_destroy = \"open\"\n}",
		changed: "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"192.0.2.1\"]\n on_destroy = \"open\"\n}",
		create:  "allowlist", update: "allowlist", destroy: "allowlist",
	},
	{
		kind:    "hosting_console_mode",
		created: "resource \"hosting_console_mode\" \"test\" {\n instance_id = \"i-one\"\n mode = \"ro\"\n}",
		changed: "resource \"hosting_console_mode\" \"test\" {\n instance_id = \"i-one\"\n mode = \"rw\"\n}",
		create:  "console", update: "console", destroy: "console",
	},
	{
		kind:    "hosting_auth_settings",
		created: "resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://a.example\"\n}",
		changed: "resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://b.example\"\n}",
		create:  "auth_settings", update: "auth_settings", destroy: "auth_settings",
	},
}

// interrupted runs the CLI until a job of an operation is polled, interrupts it, and then
// lets the job end.
func interrupted(t *testing.T, fake *fakeservicetest.Server, w *workspace, operation string, args ...string) result {
	t.Helper()
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: operation})
	command := w.startUntilPolled(fake, args...)
	command.signal(syscall.SIGINT)
	r := command.wait()
	must(t, r.exit == 1, "the interrupted run: got exit %d, want 1:\n%s", r.exit, r.output)
	release()
	return r
}

func interruptEverywhere(t *testing.T, c asyncCase) int {
	fake := seededApps(t)
	w := newWorkspaceBeside(t, fake, c.created)
	apply := []string{"apply", "-auto-approve", "-no-color"}
	interruptions := 1
	r := interrupted(t, fake, w, c.create, apply...)
	if c.keptAfterCreate {
		w.mustBeKept(c.kind, "test")
		must(t, strings.Contains(r.output, "Warning:") && strings.Contains(r.output, "not tainted"), "%s: got\n%s\nwant a warning that the object is not tainted", c.kind, r.output)
	} else {
		must(t, w.saved(c.kind, "test") == nil, "%s is in the state", c.kind)
	}
	w.apply()
	w.mustBeSettled()
	if c.changed != "" {
		interruptions++
		w.configure(c.changed)
		interrupted(t, fake, w, c.update, apply...)
		w.mustBeKept(c.kind, "test")
		w.apply()
		w.mustBeSettled()
	}
	interruptions++
	interrupted(t, fake, w, c.destroy, "destroy", "-auto-approve", "-no-color")
	w.mustBeKept(c.kind, "test")
	r = w.run("destroy", "-auto-approve", "-no-color")
	must(t, r.exit == 0 && w.saved(c.kind, "test") == nil, "%s: the second destroy: got exit %d, want 0 and nothing in the state:\n%s", c.kind, r.exit, r.output)
	for _, path := range []string{"/instances", "/instances/*/apps/import", "/instances/*/postgres/databases"} {
		must(t, fake.Count("POST", path) <= 1, "%s: POSTs of %s: got %d, want at most 1", c.kind, path, fake.Count("POST", path))
	}
	return interruptions
}

// Faults of interruptions.
var interruptionFaults = []faultRow{
	{6, "Ctrl-C while waiting, at each step of each resource", func(t *testing.T) string {
		interruptions := 0
		for _, c := range asyncCases {
			interruptions += interruptEverywhere(t, c)
		}
		return fmt.Sprintf("%d interruptions of %d resources: 0 lost, 0 tainted, 0 made twice", interruptions, len(asyncCases))
	}},
	{9, "kill -9 of the provider process", func(t *testing.T) string {
		fake := seededApps(t)
		w := newWorkspaceBeside(t, fake, asyncCases[1].created)
		w.apply()
		w.configure(asyncCases[1].changed)
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "app_update"})
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the update is sent", func() bool { return fake.Count("PATCH", "/instances/*/apps/*") > 0 })
		killed := killChildren(t, apply.command.Process.Pid)
		r := apply.wait()
		must(t, r.exit == 1 && killed > 0, "the apply: got %d killed and exit %d, want some and 1:\n%s", killed, r.exit, r.output)
		must(t, fmt.Sprint(w.mustBeKept("hosting_app", "test").Attributes["port"]) == "3000", "the state is not as last saved")
		next := w.startUntilPolled(fake, "apply", "-auto-approve", "-no-color")
		release()
		r = next.wait()
		must(t, r.exit == 0, "the next apply: got exit %d, want 0:\n%s", r.exit, r.output)
		w.mustBeSettled()
		return "error, state kept, next apply done, " + counts(fake, "POST /instances/*/apps/import")
	}},
	{22, "console: failing SQL, failing PUT, Ctrl-C, two processes", func(t *testing.T) string {
		fake, sql := startRecorded(t)
		sql.fail("bad", &fakeservice.SQLError{Message: "syntax error", SQLState: "42601"})
		newWorkspaceBeside(t, fake, scriptHCL(`sql = "bad"`)).fails("Syntax error (SQLSTATE 42601)", "Nothing was applied")
		must(t, cmp.Equal(modes(fake), []string{"rw", "off"}), "modes of the console: got %v, want rw and off", modes(fake))

		fake.Inject(fakeservice.Fault{Method: "PUT", Path: "/instances/*/sql-console", Skip: 1, Times: 1, Status: 422, Code: "validation_failed", Detail: "stuck"})
		r := newWorkspaceBeside(t, fake, scriptHCL(`sql = "stuck"`)).run("apply", "-auto-approve", "-no-color")
		must(t, strings.Contains(r.output, "was left in mode rw and must be set to off by hand"), "the apply: got\n%s\nwant that the console was left in mode rw", r.output)
		fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.ConsoleMode = "off" })

		running, finish := make(chan struct{}), make(chan struct{})
		sql.waitFor(func() { close(running); <-finish })
		apply := newWorkspaceBeside(t, fake, scriptHCL(`sql = "slow"`)).start("apply", "-auto-approve", "-no-color")
		<-running
		apply.signal(syscall.SIGINT)
		close(finish)
		apply.wait()
		sql.waitFor(nil)
		i, _ := fake.Instance("i-one")
		must(t, i.ConsoleMode == "off", "the console after Ctrl-C: got %s, want off", i.ConsoleMode)

		body := strings.Replace(scriptHCL(`sql = "both ${count.index}"`), "instance_id", "count = 3\n  instance_id", 1)
		one := newWorkspaceBeside(t, fake, body).start("apply", "-auto-approve", "-no-color")
		other := newWorkspaceBeside(t, fake, body).start("apply", "-auto-approve", "-no-color")
		for _, s := range []*started{one, other} {
			r := s.wait()
			must(t, r.exit == 0, "an apply: got exit %d, want 0:\n%s", r.exit, r.output)
		}
		i, _ = fake.Instance("i-one")
		must(t, i.ConsoleMode == "off", "the console after two processes: got %s, want off", i.ConsoleMode)
		sent := map[string]int{}
		for _, statement := range sql.statements() {
			sent[statement]++
		}
		must(t, sent["rw main: slow"] == 1 && sent["rw main: bad"] == 1 && sent["rw main: stuck"] == 1 && sent["rw main: both 0"] == 2, "statements: got %v, want slow, bad and stuck once and \"both 0\" twice", sent)
		return fmt.Sprintf("%d statements, none twice; the console ends off", len(sql.statements()))
	}},
	{27, "deletion: confirm, joined, gone, creating, unpaid, tainted", func(t *testing.T) string {
		destroy := []string{"destroy", "-auto-approve", "-no-color"}
		must27 := func(w *workspace, fake *fakeservicetest.Server) {
			r := w.run(destroy...)
			must(t, r.exit == 0, "the destroy: got exit %d, want 0:\n%s", r.exit, r.output)
			must(t, len(fake.Instances()) == 0, "instances that are left: got %d, want none", len(fake.Instances()))
			for _, request := range fake.Requests() {
				if id, ok := strings.CutPrefix(request.Path, "/instances/"); ok && request.Method == "DELETE" && !strings.Contains(id, "/") {
					must(t, request.Query == "confirm="+id, "the confirmation of the DELETE of %s: got %q, want its id", id, request.Query)
				}
			}
		}
		// A held job ends as soon as the next destroy polls it.
		releaseOncePolled := func(fake *fakeservicetest.Server, release func()) {
			polls := fake.Count("GET", "/jobs/*")
			whenever(t, func() bool { return fake.Count("GET", "/jobs/*") > polls }, release)
		}
		// Another client deletes the instance: the destroy joins that deletion.
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
		w.apply()
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "delete"})
		deleteBehind(t, fake, onlyInstance(t, fake))
		releaseOncePolled(fake, release)
		must27(w, fake)
		must(t, jobsOf(fake, "delete") == 1, "deletions: got %d, want 1", jobsOf(fake, "delete"))
		// The instance is gone.
		w.apply()
		fake.RemoveInstance(onlyInstance(t, fake))
		must27(w, fake)
		// The instance is still being created: the destroy waits, then deletes it.
		fake = startFake(t)
		w = newWorkspaceBeside(t, fake, instanceHCL(plainInstance))
		release = fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the creation's job is polled", func() bool { return fake.Count("GET", "/jobs/*") > 0 })
		apply.signal(syscall.SIGINT)
		apply.wait()
		releaseOncePolled(fake, release)
		must27(w, fake)
		// The instance is unpaid: its purchase is cancelled.
		fake = startFake(t)
		w = newWorkspaceBeside(t, fake, strings.Replace(instanceHCL(plainInstance), `"free"`, `"small"`, 1))
		w.apply()
		must27(w, fake)
		// An allowlist that is replaced, or whose PUT failed, is never emptied.
		fake = seededApps(t)
		w = newWorkspaceBeside(t, fake, "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.0/24\"]\n}")
		fake.FailJobs(fakeservice.JobMatch{Operation: "allowlist"}, 1, "trouble", "no")
		w.fails("No (trouble)")
		w.apply()
		r := w.run("apply", "-auto-approve", "-no-color", "-replace=hosting_allowlist.test")
		must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		for _, request := range fake.Requests() {
			must(t, !strings.Contains(string(request.Body), `"allowlist":[]`), "the list was emptied")
		}
		return "4 deletions, each confirmed with its own id; 0 lists emptied"
	}},
	{32, "ten applies of separate states on one instance", func(t *testing.T) string {
		fake, sql := startRecorded(t)
		fake.EditInstance("i-one", func(i *fakeservice.Instance) {
			i.Engines["apps"], i.Engines["auth"] = &fakeservice.Engine{MemoryMB: 1024}, &fakeservice.Engine{MemoryMB: 256}
		})
		// A database takes half a second, so that the applies meet each other's jobs.
		fake.SetDuration("database_create", 20*time.Minute)
		var applies []*started
		var spaces []*workspace
		for n := range 10 {
			body := fmt.Sprintf(`
resource "hosting_postgres_database" "test" {
  instance_id         = "i-one"
  name                = "db%[1]d"
  deletion_protection = false
}
resource "hosting_postgres_script" "test" {
  instance_id = "i-one"
  sql         = "statement %[1]d"
}`, n)
			w := newWorkspaceBeside(t, fake, body)
			spaces = append(spaces, w)
			applies = append(applies, w.start("apply", "-auto-approve", "-no-color"))
		}
		for _, apply := range applies {
			r := apply.wait()
			must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		}
		for _, w := range spaces {
			w.mustBeSettled()
		}
		i, _ := fake.Instance("i-one")
		must(t, len(fake.Databases("i-one")) == 11 && len(sql.statements()) == 10 && i.ConsoleMode == "off",
			"got %d databases, %d statements and the console %s, want 11, 10 and off", len(fake.Databases("i-one")), len(sql.statements()), i.ConsoleMode)
		return fmt.Sprintf("10 databases, 10 statements, %d times 409 waited for", conflicts(fake))
	}},
}

// configure replaces the configuration.
func (w *workspace) configure(configuration string) {
	w.write("main.tf", "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n\n"+configuration)
}

// behind sends a request as another client.
func behind(t *testing.T, fake *fakeservicetest.Server, method, path, body string) {
	t.Helper()
	request, err := http.NewRequest(method, fake.BaseURL+path, strings.NewReader(body))
	must(t, err == nil, "%v", err)
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	must(t, err == nil, "%v", err)
	answer.Body.Close()
	must(t, answer.StatusCode == http.StatusAccepted, "%s %s: got %d, want 202", method, path, answer.StatusCode)
}

// deleteBehind deletes an instance as another client.
func deleteBehind(t *testing.T, fake *fakeservicetest.Server, id string) {
	t.Helper()
	behind(t, fake, http.MethodDelete, "/instances/"+id+"?confirm="+id, "")
}

// killChildren kills the provider processes that a CLI started.
func killChildren(t *testing.T, parent int) int {
	t.Helper()
	killed := 0
	for _, pid := range children(t, parent) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// children returns the ids of the processes that a process started.
func children(t *testing.T, parent int) []int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err == nil, "%v", err)
	var pids []int
	for _, path := range paths {
		stat, ok := statOf(path)
		if !ok || stat.parent != strconv.Itoa(parent) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		must(t, err == nil, "%v", err)
		pids = append(pids, pid)
	}
	return pids
}

type processStat struct{ state, parent string }

// statOf reads a file /proc/[pid]/stat. It returns false if the process is gone.
func statOf(path string) (processStat, bool) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return processStat{}, false
	}
	// pid (name) state ppid …; the name may contain any character.
	text := string(raw)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	if len(fields) < 2 {
		return processStat{}, false
	}
	return processStat{fields[0], fields[1]}, true
}
