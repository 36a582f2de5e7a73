package provider_test

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
	// lateCommit is how long after a gateway's page the service sees the request.
	lateCommit = 3 * time.Second
	// reloadTime is for how long a gateway that is being reconfigured knows nothing:
	// longer than it takes to confirm an absence, 15 s with what is sent again.
	reloadTime = 30 * time.Second
	// crashApplies and crashPlans are how often Terraform is run again before a run
	// has no end. A plan that fails changes nothing.
	crashApplies, crashPlans = 6, 20
)

// A crashRun is the guestbook's life with one request struck: applied, with its
// protection lifted, and destroyed, each until it is calm.
type crashRun struct {
	t    *testing.T
	fake *fakeservicetest.Server
	sql  *recorder
	w    *workspace

	cli     chan *started // the struck CLI, once it has been started
	release func()        // lets go of the jobs that are held; nil while none are
	log     []string      // what was run, and what it said
	verdict crashVerdict
}

func newCrashRun(t *testing.T) *crashRun {
	t.Helper()
	r := &crashRun{t: t, sql: &recorder{}, cli: make(chan *started, 1)}
	r.fake = fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed, o.Querier = testSpeed, r.sql })
	ignoreIdempotencyKeys(t, r.fake)
	r.w = newGuestbookBeside(t, r.fake)
	r.w.write("test.auto.tfvars", guestbookVariables)
	// A lost creation is looked for as long as it may take. Nobody waits ten
	// minutes here.
	r.w.write("patience_override.tf", "resource \"hosting_instance\" \"this\" {\n  timeouts = { create = \"15s\" }\n}\n")
	return r
}

// ignoreIdempotencyKeys makes the service one that has never heard of them: the
// provider sends them and never relies on them.
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

// kill ends CLI and provider at once.
func (r *crashRun) kill() {
	s := <-r.cli
	_ = syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL) // it cannot have ended: it waits for this answer
}

// holdJobs keeps all jobs in progress from now on.
func (r *crashRun) holdJobs() { r.release = sync.OnceFunc(r.fake.HoldJobs(fakeservice.JobMatch{})) }

// letGo lets the jobs end that are held.
func (r *crashRun) letGo() {
	if r.release != nil {
		r.release()
		r.release = nil
	}
}

// live lives the whole life of a case.
func (r *crashRun) live(c crashCase, made crashScene) crashVerdict {
	v := &r.verdict
	if c.point.phase == applying {
		r.imports(r.struck(c).output)
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
		last = r.struck(c)
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

// struck runs the CLI with a request struck.
func (r *crashRun) struck(c crashCase) result {
	census := newCrashCensus(r.fake, c.point.phase)
	var hit atomic.Bool
	r.fake.SetStrike(func(_ int, request *http.Request) *fakeservice.Fault {
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
	r.fake.SetStrike(nil)
	r.verdict.hit = hit.Load()
	r.restoreState(end.output)
	return r.note("struck "+string(c.point.phase), end)
}

// restoreState puts back the state from before the run where a kill fell into the
// moment in which Terraform writes its file, which it empties first. That is no
// matter of the provider's, and what a person does about it. A file that is empty
// because nothing was to be saved yet is no such case.
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
	must(r.t, os.Remove(state) == nil, "the broken state stays") // there was none before the run
}

// runs runs the CLI undisturbed, at the earliest when what came late has come and
// nothing is in progress at the service that is not held. What changes something
// lets go of held jobs once it asks about one, or when it has ended.
func (r *crashRun) runs(args ...string) result {
	r.rest()
	changes := args[0] != "plan"
	if changes && r.release != nil {
		r.fake.SetStrike(func(_ int, request *http.Request) *fakeservice.Fault {
			if !strings.Contains(request.URL.Path, "/jobs/") {
				return nil
			}
			return &fakeservice.Fault{After: r.release}
		})
	}
	end := r.note(strings.Join(args, " "), r.w.run(append(args, "-no-color")...))
	if changes {
		r.fake.SetStrike(nil)
		r.letGo()
	}
	return end
}

// rest waits until the service has seen what comes late, and done what it can.
func (r *crashRun) rest() {
	r.fake.DeliverLate()
	if r.release == nil {
		machine.Until(r.t, "nothing is in progress", func() bool {
			left := r.fake.Left()
			return left["jobs"]+left["builds"] == 0
		})
	}
}

// errorSummary is what an error begins with, up to an id or to where it was.
var errorSummary = regexp.MustCompile(`Error: (.*?)(?: (?:i|wh)-[a-z0-9]+\b| with | on |: |,|$)`)

// note keeps what a run of the CLI said, and looks for what it tainted.
func (r *crashRun) note(what string, end result) result {
	r.log = append(r.log, fmt.Sprintf("--- %s: exit %d\n%s", what, end.exit, end.output))
	for _, found := range errorSummary.FindAllStringSubmatch(end.output, -1) {
		r.verdict.met = append(r.verdict.met, found[1])
	}
	if n := strings.Count(r.w.state(), `"status": "tainted"`); n > 0 && !r.anyFailed() {
		r.verdict.tainted = append(r.verdict.tainted, fmt.Sprintf("%d tainted by %s, and nothing had failed", n, what))
	}
	return end
}

// anyFailed tells whether a job or a build failed at the service.
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

// applyUntilCalm plans and applies until the plan is empty, importing what it
// says is there already. It gives the last output, and whether it came to that.
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

// destroyUntilGone destroys until nothing is in the state. A destroy begins with
// a plan too.
func (r *crashRun) destroyUntilGone(last result) (result, bool) {
	gone := func() bool { return last.exit == 0 && len(r.w.managed()) == 0 }
	for tries := 0; tries < crashPlans && !gone(); tries++ {
		last = r.runs("destroy", "-auto-approve")
	}
	return last, gone()
}

var importBlocks = regexp.MustCompile(`import \{ to = (hosting_\w+)\.NAME id = "([^"]+)" \}`)

// guestbookAddresses are where the module has what can be there already.
var guestbookAddresses = map[string]string{
	"hosting_instance":         "hosting_instance.this",
	"hosting_app":              "hosting_app.this",
	"hosting_webhook_endpoint": "hosting_webhook_endpoint.this[0]",
}

const importsFile = "imports.tf"

// imports writes the import blocks that an output shows, with the module's own
// addresses. It is false when there is nothing new to import.
func (r *crashRun) imports(output string) bool {
	blocks, _ := os.ReadFile(filepath.Join(r.w.folder, importsFile)) // it is not there before the first
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

// forgetImports takes the import blocks away once they have done their work.
func (r *crashRun) forgetImports() { _ = os.Remove(filepath.Join(r.w.folder, importsFile)) }

// requests are all requests of the run, for who looks into one that failed.
func (r *crashRun) requests() string {
	var b strings.Builder
	all := r.fake.Requests()
	for _, request := range all {
		fmt.Fprintf(&b, "%7s %s %s: %d, at the service %d\n", request.RealAt.Sub(all[0].RealAt).Round(time.Millisecond),
			request.Method, request.Path, request.Status, request.Served)
	}
	return b.String()
}
