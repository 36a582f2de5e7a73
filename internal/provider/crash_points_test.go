package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A crashPoint is one request of the guestbook's apply or destroy at which
// something goes wrong: every mutation, and every read, of the plan and the
// refresh too. As ids and the number of polls differ from run to run, a point is
// named by the method, the path with names for ids, and its number among the
// equal ones. The polls of one job are one point, and so are those of the builds:
// the first of them.
type crashPoint struct {
	phase   crashPhase
	request string // "PUT /instances/{id}/sql-console"
	nth     int    // from 1 on

	startsJob bool // what it asks for is done by a job
}

// A crashPhase is what the CLI is told to do when it is struck.
type crashPhase string

const (
	applying   crashPhase = "apply"
	destroying crashPhase = "destroy"
)

func (p crashPoint) String() string { return fmt.Sprintf("%s %s #%d", p.phase, p.request, p.nth) }

func (p crashPoint) mutates() bool { return !strings.HasPrefix(p.request, http.MethodGet+" ") }

// A crashKind is what goes wrong at a point.
type crashKind struct {
	name string
	fits func(crashPoint) bool
	// fault is what the gateway does to the request.
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
	// The same, with the job still in progress when Terraform is run again.
	{"kill-busy", func(p crashPoint) bool { return p.startsJob }, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, Before: r.holdJobs, After: r.kill}
	}},
	{"lost", anyPoint, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Drop: true, AfterCommit: true}
	}},
	{"gateway-404", anyPoint, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusNotFound}
	}},
	// The same, for that long and to whatever comes then.
	{"reload", anyPoint, func(r *crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusNotFound, Before: func() { r.fake.Away(reloadTime, http.StatusNotFound) }}
	}},
	{"late", crashPoint.mutates, func(*crashRun) *fakeservice.Fault {
		return &fakeservice.Fault{Page: http.StatusGatewayTimeout, CommitAfter: lateCommit}
	}},
}

// A crashCensus gives each request of a phase its point.
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

// named puts names for the ids in a path: a job's is what it does, with its
// number among those that do the same.
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

// polled tells a point that is read as often as it takes.
func (p crashPoint) polled() bool {
	return strings.HasPrefix(p.request, "GET /jobs/") || strings.HasPrefix(p.request, "GET ") && strings.HasSuffix(p.request, "/builds")
}

// crashPoints are the points of an undisturbed apply and destroy, in the order
// in which they come, and what the service has after that apply.
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
		must(t, end.exit == 0, "undisturbed, %s ended with exit %d:\n%s", args[0], end.exit, end.output)
	}
	record(applying, func() { mustEnd("apply", "-auto-approve", "-no-color") })
	made = sceneOf(r)
	r.lift()
	mustEnd("apply", "-auto-approve", "-no-color")
	record(destroying, func() { mustEnd("destroy", "-auto-approve", "-no-color") })
	return points, made
}

// crashCases are the points with each kind that fits them.
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

// A crashCase is what one run tries.
type crashCase struct {
	point crashPoint
	kind  crashKind
}

func (c crashCase) String() string { return c.point.String() + " " + c.kind.name }

// run strikes a point, lets Terraform run until it is calm, and judges the end.
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

// TestCrashPoints strikes a few of the nastiest points, so that `make test` keeps
// alive what `make crash-points` does with all of them.
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
			"apply POST /instances/{id}/apps/import #1 late",
			"apply POST /instances/{id}/apps/import #1 kill-busy",
			"destroy DELETE /instances/{id} #1 kill-busy":
			tried++
			t.Run(c.String(), func(t *testing.T) { c.run(t, made, newCrashTally()) })
		}
	}
	must(t, tried == 9, "%d of the points are there, not 9", tried)
}
