package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
)

// A crashScene describes the service and the state after the guestbook is applied,
// without the values that differ from run to run.
type crashScene struct {
	Managed   []string // addresses in the state
	Instances []string
	Apps      []string
	Webhooks  []string
}

// sceneOf reads a scene. The scene has no ids, but an object in the state must exist at
// the service under the same id.
func sceneOf(r *crashRun) crashScene {
	scene := crashScene{Managed: r.w.managed()}
	for _, i := range r.fake.Instances() {
		auth := "no auth engine"
		if engine := i.Engines["auth"]; engine != nil {
			auth = fmt.Sprint(engine.SiteURL, " ", engine.RedirectURLs)
		}
		scene.Instances = append(scene.Instances, fmt.Sprintf("%s on %s in %s, %s, %d engines, tags %v, allowlist %v, console %s, auth to %s%s",
			i.Name, i.Plan, i.Region, i.Status, len(i.Engines), i.Tags, i.Allowlist, i.ConsoleMode,
			strings.ReplaceAll(auth, i.ID, "ID"), r.unmanaged("hosting_instance", i.ID)))
		for _, a := range r.fake.Apps(i.ID) {
			env := fmt.Sprint(a.Env)
			scene.Apps = append(scene.Apps, fmt.Sprintf("%s from %s@%s, %s, port %d, %s, public %t, links %v, %d builds, env of %d letters%s",
				a.Name, a.Repo, a.Branch, a.Status, a.Port, a.HealthPath, a.Public, a.Links, len(a.Builds), len(env), r.unmanaged("hosting_app", a.Name)))
		}
	}
	for _, w := range r.fake.Webhooks() {
		scene.Webhooks = append(scene.Webhooks, fmt.Sprintf("%s, enabled %t%s", w.URL, w.Enabled, r.unmanaged("hosting_webhook_endpoint", w.ID)))
	}
	return scene
}

const inNoState = ", in no state"

// unmanaged returns a remark for an object that is not in the state by its id, or for an
// app by its name.
func (r *crashRun) unmanaged(kind, id string) string {
	if saved := r.w.saved(kind, "this"); saved != nil && (saved.Attributes["id"] == id || saved.Attributes["id"] == nil && saved.Attributes["name"] == id) {
		return ""
	}
	return inNoState
}

// A crashVerdict is the result of one run.
type crashVerdict struct {
	hit bool // the run reached the point
	// The failures, in words.
	lost, twice, tainted, left, other []string
	end                               string   // the name of a closed error; "" if the run ended as without a fault
	met                               []string // errors during the run
	imported, restored                bool
}

func (v crashVerdict) wrong() []string {
	return slices.Concat(v.lost, v.twice, v.tainted, v.left, v.other)
}

// judgeApplied compares the scene after the applies with the scene of a run without
// faults.
func (r *crashRun) judgeApplied(v *crashVerdict, made crashScene) {
	for _, request := range r.fake.Requests() {
		if request.Method == http.MethodDelete && request.Served > 0 && request.Served < 300 {
			v.lost = append(v.lost, "an apply deleted "+request.Path)
		}
	}
	for _, operation := range []string{"create", "app_import"} {
		if n := r.jobs(operation); n != 1 {
			v.twice = append(v.twice, fmt.Sprintf("%d jobs %s", n, operation))
		}
	}
	scene := sceneOf(r)
	for what, things := range map[string][2][]string{
		"instances": {made.Instances, scene.Instances},
		"apps":      {made.Apps, scene.Apps},
		"endpoints": {made.Webhooks, scene.Webhooks},
		"addresses": {made.Managed, scene.Managed},
	} {
		want, have := things[0], things[1]
		switch diff := cmp.Diff(want, have); {
		case diff == "":
		case len(have) < len(want) || strings.Contains(diff, inNoState):
			v.lost = append(v.lost, what+":\n"+diff)
		case len(have) > len(want):
			v.twice = append(v.twice, what+":\n"+diff)
		default:
			v.other = append(v.other, what+":\n"+diff)
		}
	}
	if len(r.sql.statements()) == 0 {
		v.lost = append(v.lost, "the script never ran")
	}
}

// jobs counts the jobs of an operation.
func (r *crashRun) jobs(operation string) int {
	n := 0
	for _, job := range r.fake.Jobs() {
		if job.Operation == operation {
			n++
		}
	}
	return n
}

// judgeDestroyed reports objects that are left after the destroy.
func (r *crashRun) judgeDestroyed(v *crashVerdict) {
	for what, n := range r.fake.Left() {
		if n != 0 {
			v.left = append(v.left, fmt.Sprintf("%d %s are left", n, what))
		}
	}
}

// A crashTally counts the results of all runs.
type crashTally struct {
	mu                                sync.Mutex
	runs, missed                      int
	lost, twice, tainted, left, other int            // numbers of runs
	imported, restored                int            // numbers of runs
	ends                              map[string]int // by the name of the closed error; "" for runs that ended as without a fault
	met                               map[string]int // errors during the runs, by summary
}

func newCrashTally() *crashTally { return &crashTally{ends: map[string]int{}, met: map[string]int{}} }

// add counts a run and returns the number of runs so far.
func (c *crashTally) add(v crashVerdict) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for counter, counts := range map[*int]bool{
		&c.runs:     true,
		&c.missed:   !v.hit,
		&c.lost:     len(v.lost) > 0,
		&c.twice:    len(v.twice) > 0,
		&c.tainted:  len(v.tainted) > 0,
		&c.left:     len(v.left) > 0,
		&c.other:    len(v.other) > 0,
		&c.imported: v.imported,
		&c.restored: v.restored,
	} {
		if counts {
			*counter++
		}
	}
	if len(v.wrong()) == 0 {
		c.ends[v.end]++
	}
	for _, summary := range v.met {
		c.met[summary]++
	}
	return c.runs
}
