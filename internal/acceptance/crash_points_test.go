package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A crashPoint is one request of the guestbook's apply or destroy at which a fault
// happens. Every mutation and every read is a point, including the reads of the plan and
// the refresh. Ids and the number of polls differ from run to run. So the name of a point
// consists of the method, the path with names instead of ids, and its number among equal
// requests. All polls of one job are one point, and so are all polls of the builds: the
// first poll stands for them.
type crashPoint struct {
	phase   crashPhase
	request string // "PUT /instances/{id}/sql-console"
	nth     int    // counts from 1

	startsJob bool // the request is carried out by a job
}

// A crashPhase is the command that the CLI runs when the fault happens.
type crashPhase string

const (
	applying   crashPhase = "apply"
	destroying crashPhase = "destroy"
)

func (p crashPoint) String() string { return fmt.Sprintf("%s %s #%d", p.phase, p.request, p.nth) }

func (p crashPoint) mutates() bool { return !strings.HasPrefix(p.request, http.MethodGet+" ") }

// A crashKind is a kind of fault at a point.
type crashKind struct {
	name string
	fits func(crashPoint) bool
	// fault returns what the gateway does to the request.
	fault func(*crashRun) *fakeservice.Fault
}

func anyPoint(crashPoint) bool { return true }

var crashKinds = []crashKind{
	{"kill-before", anyPoint, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, Before: r.kill}
	}},
	{"kill-after", anyPoint, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, After: r.kill}
	}},
	// Like kill-after, but the job is still in progress when Terraform runs again.
	{"kill-busy", func(p crashPoint) bool { return p.startsJob }, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, Before: r.holdJobs, After: r.kill}
	}},
	{"lost", anyPoint, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, AfterCommit: true}
	}},
	{"gateway-404", anyPoint, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusNotFound}
	}},
	// Like gateway-404, but for all requests during reloadTime.
	{"reload", anyPoint, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusNotFound, Before: func() { r.fake.Away(reloadTime, http.StatusNotFound) }}
	}},
	{"late", crashPoint.mutates, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusGatewayTimeout, CommitAfter: lateCommit}
	}},
}

// A crashCensus assigns a point to each request of a phase.
type crashCensus struct {
	fake  *fakeservicetest.Server
	phase crashPhase

	mu   sync.Mutex
	seen map[string]int
}

func newCrashCensus(fake *fakeservicetest.Server, phase crashPhase) *crashCensus {
	return &crashCensus{fake: fake, phase: phase, seen: map[string]int{}}
}

func (c *crashCensus) point(method, path string) crashPoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	request := method + " " + c.named(strings.TrimPrefix(path, "/api/v1"))
	c.seen[request]++
	return crashPoint{phase: c.phase, request: request, nth: c.seen[request]}
}

// named replaces the ids in a path by names. The name of a job is its operation, with its
// number among jobs of the same operation.
func (c *crashCensus) named(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 2 {
		return path
	}
	switch parts[0] {
	case "instances", "webhooks":
		parts[1] = "{id}"
	case "jobs":
		equal := map[string]int{}
		for _, job := range c.fake.Jobs() {
			if equal[job.Operation]++; job.ID == parts[1] {
				parts[1] = fmt.Sprintf("{%s %d}", job.Operation, equal[job.Operation])
				break
			}
		}
	}
	return "/" + strings.Join(parts, "/")
}

// polled reports whether a point is a read that is repeated until something ends.
func (p crashPoint) polled() bool {
	return strings.HasPrefix(p.request, "GET /jobs/") || strings.HasPrefix(p.request, "GET ") && strings.HasSuffix(p.request, "/builds")
}

// crashPoints returns the points of an apply and a destroy without faults, in order, and
// the scene after the apply.
func crashPoints(t *testing.T) (points []crashPoint, made crashScene) {
	t.Helper()
	r := newCrashRun(t)
	record := func(phase crashPhase, run func()) {
		before := len(r.fake.Requests())
		run()
		census := newCrashCensus(r.fake, phase)
		for _, request := range r.fake.Requests()[before:] {
			p := census.point(request.Method, request.Path)
			p.startsJob = request.Served == http.StatusAccepted
			if p.nth == 1 || !p.polled() {
				points = append(points, p)
			}
		}
	}
	mustEnd := func(args ...string) {
		t.Helper()
		end := r.w.run(args...)
		must(t, end.exit == 0, "undisturbed, %s: got exit %d, want 0:\n%s", args[0], end.exit, end.output)
	}
	record(applying, func() { mustEnd("apply", "-auto-approve", "-no-color") })
	made = sceneOf(r)
	r.lift()
	mustEnd("apply", "-auto-approve", "-no-color")
	record(destroying, func() { mustEnd("destroy", "-auto-approve", "-no-color") })
	return points, made
}

// crashCases returns the points with each kind of fault that fits them.
func crashCases(points []crashPoint) []crashCase {
	var cases []crashCase
	for _, p := range points {
		for _, kind := range crashKinds {
			if kind.fits(p) {
				cases = append(cases, crashCase{p, kind})
			}
		}
	}
	return cases
}

// A crashCase is the point and the kind of fault of one run.
type crashCase struct {
	point crashPoint
	kind  crashKind
}

func (c crashCase) String() string { return c.point.String() + " " + c.kind.name }

// run injects the fault, lets Terraform run until it settles, and judges the result.
func (c crashCase) run(t *testing.T, made crashScene, tally *crashTally) {
	t.Parallel()
	r := newCrashRun(t)
	v := r.live(c, made)
	runs := tally.add(v)
	if runs%25 == 0 {
		fmt.Println(runs, "runs")
	}
	if !v.hit && c.point.mutates() {
		t.Error("the request never came")
	}
	for _, wrong := range v.wrong() {
		t.Error(wrong)
	}
	if t.Failed() {
		t.Logf("repeat it alone with make crash-points CRASHARGS=\"-point '%s' -kind %s\"\n%s\n%s",
			c.point, c.kind.name, strings.Join(r.log, "\n"), r.requests())
	}
}

// TestCrashPoints tries a few of the hardest points, so that `make test` covers the code
// of `make crash-points`.
func TestCrashPoints(t *testing.T) {
	t.Parallel()
	needsCLI(t)
	points, made := crashPoints(t)
	tried := 0
	for _, c := range crashCases(points) {
		switch c.String() {
		case "apply POST /instances #1 kill-before",
			"apply POST /instances #1 kill-after",
			"apply POST /instances #1 kill-busy",
			"apply POST /instances #1 lost",
			"apply POST /instances #1 late",
			"apply POST /webhooks #1 kill-after",
			"apply POST /instances/{id}/engines/postgres/query #1 lost",
			"apply POST /instances/{id}/engines/postgres/query #1 late",
			"apply POST /instances/{id}/apps/import #1 late",
			"apply POST /instances/{id}/apps/import #1 kill-busy",
			"destroy DELETE /instances/{id} #1 kill-busy":
			tried++
			t.Run(c.String(), func(t *testing.T) { c.run(t, made, newCrashTally()) })
		}
	}
	must(t, tried == 11, "points that were tried: got %d, want 11", tried)
}
