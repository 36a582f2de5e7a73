package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation"
)

const (
	// lateCommit is the delay between a gateway's page and the arrival of the request at
	// the service.
	lateCommit = 3 * time.Second
	// reloadTime is the time for which a gateway answers 404 while it is reconfigured. It
	// is longer than the confirmation of an absence, which takes 15 s including retries.
	reloadTime = 30 * time.Second
	// crashApplies and crashPlans limit how often Terraform runs again before the run
	// counts as endless. A plan that fails changes nothing.
	crashApplies, crashPlans = 6, 20
)

// A crashRun is the life of a guestbook with a fault at one request. The guestbook is
// applied, its protection is lifted, and it is destroyed. Each step is repeated until it
// settles.
type crashRun struct {
	t    *testing.T
	fake *fakeservicetest.Server
	sql  *recorder
	w    *workspace

	cli     chan *started // the CLI with the fault, once it has started
	release func()        // lets held jobs end; nil if no job is held
	log     []string      // the commands and their output
	verdict crashVerdict
}

func newCrashRun(t *testing.T) *crashRun {
	t.Helper()
	r := &crashRun{t: t, sql: &recorder{}, cli: make(chan *started, 1)}
	r.fake = fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed, o.Querier = testSpeed, r.sql })
	ignoreIdempotencyKeys(t, r.fake)
	r.w = newGuestbookBeside(t, r.fake)
	r.w.write("test.auto.tfvars", guestbookVariables)
	// The provider looks for a lost creation until the timeout, for at most ten minutes.
	// That is too long for a test.
	r.w.write("patience_override.tf", "resource \"hosting_instance\" \"this\" {\n  timeouts = { create = \"15s\" }\n}\n")
	return r
}

// ignoreIdempotencyKeys makes the service ignore idempotency keys. The provider sends
// them and never relies on them.
func ignoreIdempotencyKeys(t *testing.T, fake *fakeservicetest.Server) {
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		request.Header.Del("Idempotency-Key")
		fake.ServeHTTP(w, request)
	}))
	t.Cleanup(front.Close)
	fake.BaseURL = front.URL + "/api/v1"
}

// lift lifts the instance's and the app's protection in the configuration.
func (r *crashRun) lift() {
	r.w.write("test.auto.tfvars", guestbookVariables+"deletion_protection = false\n")
}

// kill kills the CLI and the provider at the same time.
func (r *crashRun) kill() {
	s := <-r.cli
	_ = syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL) // it still runs, because it waits for this answer
}

// holdJobs keeps all jobs in progress from now on.
func (r *crashRun) holdJobs() { r.release = sync.OnceFunc(r.fake.HoldJobs(fakeservice.JobMatch{})) }

// letGo lets held jobs end.
func (r *crashRun) letGo() {
	if r.release != nil {
		r.release()
		r.release = nil
	}
}

// live runs the whole life of a case.
func (r *crashRun) live(c crashCase, made crashScene) crashVerdict {
	v := &r.verdict
	if c.point.phase == applying {
		r.imports(r.faulted(c).output)
	}
	if last, calm := r.applyUntilCalm(); !calm {
		if v.end = simulation.ClosedErrorIn(last.output); v.end == "" {
			v.other = append(v.other, "the applies came to no end")
		}
	}
	r.rest()
	r.judgeApplied(v, made)

	r.lift()
	r.runs("apply", "-auto-approve")
	var last result
	if c.point.phase == destroying {
		last = r.faulted(c)
	} else {
		last = r.runs("destroy", "-auto-approve")
	}
	if last, gone := r.destroyUntilGone(last); !gone {
		if v.end = simulation.ClosedErrorIn(last.output); v.end == "" {
			v.other = append(v.other, "the destroys came to no end")
		}
	}
	r.letGo()
	r.rest()
	r.judgeDestroyed(v)
	return *v
}

// faulted runs the CLI and injects the fault at the case's point.
func (r *crashRun) faulted(c crashCase) result {
	census := newCrashCensus(r.fake, c.point.phase)
	var hit atomic.Bool
	r.fake.SetFaultFunc(func(_ int, request *http.Request) *fakeservice.Fault {
		p := census.point(request.Method, request.URL.EscapedPath())
		if p.request != c.point.request || p.nth != c.point.nth {
			return nil
		}
		hit.Store(true)
		return c.kind.fault(r)
	})
	s := r.w.start(string(c.point.phase), "-auto-approve", "-no-color")
	r.cli <- s
	end := s.wait()
	r.fake.SetFaultFunc(nil)
	r.verdict.hit = hit.Load()
	r.restoreState(end.output)
	r.note("a fault in "+string(c.point.phase), end)
	r.decideScript(end.output)
	return end
}

// restoreState restores the state from before the run if the kill happened while
// Terraform was writing its state file, which it empties first. This is not a defect of
// the provider, and a person would do the same. A file that is empty because there was
// nothing to save yet is a different case.
func (r *crashRun) restoreState(output string) {
	state := filepath.Join(r.w.folder, "terraform.tfstate")
	if raw, err := os.ReadFile(state); err != nil || json.Valid(raw) {
		return
	}
	if os.Rename(state+".backup", state) == nil {
		r.verdict.restored = true
		return
	}
	r.verdict.restored = strings.Contains(output, "Creation complete")
	must(r.t, os.Remove(state) == nil, "the broken state stays") // no state existed before the run
}

// runs runs the CLI without a fault. It first waits for late requests, and until nothing
// is in progress at the service except held jobs. A command that makes changes lets held
// jobs end when it first asks for a job, or when it has ended.
func (r *crashRun) runs(args ...string) result {
	r.rest()
	changes := args[0] != "plan"
	if changes && r.release != nil {
		r.fake.SetFaultFunc(func(_ int, request *http.Request) *fakeservice.Fault {
			if !strings.Contains(request.URL.Path, "/jobs/") {
				return nil
			}
			return &fakeservice.Fault{After: r.release}
		})
	}
	end := r.note(strings.Join(args, " "), r.w.run(append(args, "-no-color")...))
	if changes {
		r.fake.SetFaultFunc(nil)
		r.letGo()
	}
	r.decideScript(end.output)
	return end
}

// decideScript does what the provider asks for if it is unknown whether the script ran: a
// person checks whether it did, and says so, or lets it run again.
func (r *crashRun) decideScript(output string) {
	const script = "hosting_postgres_script.table[0]"
	if !strings.Contains(output, "It is unknown whether the script ran") {
		return
	}
	r.rest() // the script may arrive late
	decision := []string{"state", "rm", script}
	if len(r.sql.statements()) > 0 {
		decision = []string{"untaint", script}
	}
	r.note(strings.Join(decision, " "), r.w.run(decision...))
}

// rest waits until late requests have arrived and, if no job is held, until the service
// has finished its work.
func (r *crashRun) rest() {
	r.fake.DeliverLate()
	if r.release == nil {
		machine.Until(r.t, "nothing is in progress", func() bool {
			left := r.fake.Left()
			return left["jobs"]+left["builds"] == 0
		})
	}
}

// errorSummary matches the start of an error, up to an id or a position.
var errorSummary = regexp.MustCompile(`Error: (.*?)(?: (?:i|wh)-[a-z0-9]+\b| with | on |: |,|$)`)

// note stores the output of a CLI run, and the objects that it tainted without a reason.
func (r *crashRun) note(what string, end result) result {
	r.log = append(r.log, fmt.Sprintf("--- %s: exit %d\n%s", what, end.exit, end.output))
	for _, found := range errorSummary.FindAllStringSubmatch(end.output, -1) {
		r.verdict.met = append(r.verdict.met, found[1])
	}
	for _, resource := range r.w.savedResources() {
		for _, object := range resource.Instances {
			// A script is tainted while it is unknown whether it ran.
			if object.Status == "tainted" && resource.Type != "hosting_postgres_script" && !r.anyFailed() {
				r.verdict.tainted = append(r.verdict.tainted, fmt.Sprintf("%s tainted by %s, and nothing had failed", resource.Type, what))
			}
		}
	}
	return end
}

// anyFailed reports whether a job or a build failed at the service.
func (r *crashRun) anyFailed() bool {
	for _, job := range r.fake.Jobs() {
		if job.Status == fakeservice.StatusFailed {
			return true
		}
	}
	for _, i := range r.fake.Instances() {
		for _, app := range r.fake.Apps(i.ID) {
			for _, build := range app.Builds {
				if build.Status == fakeservice.StatusFailed {
					return true
				}
			}
		}
	}
	return false
}

// applyUntilCalm plans and applies until the plan is empty. It imports the objects that
// the output reports as existing. It returns the last output, and whether the plan became
// empty.
func (r *crashRun) applyUntilCalm() (last result, calm bool) {
	for plans, applies := 0, 0; plans < crashPlans && applies < crashApplies; plans++ {
		last = r.runs("plan", "-detailed-exitcode", "-out=next.tfplan")
		if r.imports(last.output) {
			continue
		}
		switch last.exit {
		case 0:
			if r.release == nil {
				r.forgetImports()
				return last, true
			}
			r.letGo()
		case 2:
			last = r.runs("apply", "next.tfplan")
			r.imports(last.output)
			applies++
		default:
			r.letGo() // a person would wait
		}
	}
	return last, false
}

// destroyUntilGone destroys until the state is empty. A destroy also begins with a plan.
func (r *crashRun) destroyUntilGone(last result) (result, bool) {
	gone := func() bool { return last.exit == 0 && len(r.w.managed()) == 0 }
	for tries := 0; tries < crashPlans && !gone(); tries++ {
		last = r.runs("destroy", "-auto-approve")
	}
	return last, gone()
}

var importBlocks = regexp.MustCompile(`import \{ to = (hosting_\w+)\.NAME id = "([^"]+)" \}`)

// guestbookAddresses are the module's addresses for objects that can already exist.
var guestbookAddresses = map[string]string{
	"hosting_instance":         "hosting_instance.this",
	"hosting_app":              "hosting_app.this",
	"hosting_webhook_endpoint": "hosting_webhook_endpoint.this[0]",
}

const importsFile = "imports.tf"

// imports writes the import blocks from an output, with the module's addresses. It
// returns false if there is nothing new to import.
func (r *crashRun) imports(output string) bool {
	blocks, _ := os.ReadFile(filepath.Join(r.w.folder, importsFile)) // missing before the first import
	any := false
	for _, found := range importBlocks.FindAllStringSubmatch(output, -1) {
		kind, id := found[1], found[2]
		block := fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", guestbookAddresses[kind], id)
		if r.w.saved(kind, "this") != nil || strings.Contains(string(blocks), "to = "+guestbookAddresses[kind]+"\n") {
			continue
		}
		blocks, any = append(blocks, block...), true
	}
	if any {
		r.verdict.imported = true
		r.w.write(importsFile, string(blocks))
		r.log = append(r.log, "--- import\n"+string(blocks))
	}
	return any
}

// forgetImports deletes the import blocks after they have been applied.
func (r *crashRun) forgetImports() { _ = os.Remove(filepath.Join(r.w.folder, importsFile)) }

// requests returns all requests of the run, for the analysis of a failure.
func (r *crashRun) requests() string {
	var b strings.Builder
	all := r.fake.Requests()
	for _, request := range all {
		fmt.Fprintf(&b, "%7s %s %s: %d, at the service %d\n", request.RealAt.Sub(all[0].RealAt).Round(time.Millisecond),
			request.Method, request.Path, request.Status, request.Served)
	}
	return b.String()
}
