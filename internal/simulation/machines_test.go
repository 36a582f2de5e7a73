package simulation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// habits are differences between services that SERVICE.md#tolerance allows.
type habits int

const (
	resizesAgain   habits = 1 << iota // A resize to the current plan is a second job, not a 422.
	refusesBy422                      // A failed machine refuses changes with 422, not 409.
	staysDeleting                     // After a failed deletion the status stays deleting.
	slowStatements                    // A statement takes minutes.
	allHabits      habits = 1<<iota - 1
)

const habitsEnd = 4

func (h habits) String() string {
	var all []string
	for i, name := range []string{"a resize to the present plan is done again", "a failed machine answers 422", "a failed deletion stays deleting", "a statement takes minutes"} {
		if h&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// refuses answers a request in the way of the world's service if the fake has only one way.
// It reports whether it did.
func (w *world) refuses(to http.ResponseWriter, r *http.Request, body []byte) bool {
	w.leavesDeleting()
	at := segments(path(r))
	if r.Method == http.MethodGet || len(at) < 2 || at[0] != "instances" {
		return false
	}
	i, there := w.fake.Instance(at[1])
	if !there {
		return false
	}
	h := w.scenario.Habits
	switch {
	case i.Status == fakeservice.StatusFailed && (r.Method != http.MethodDelete || len(at) != 2):
		w.countOnce(brokenRefused)
		if h&refusesBy422 != 0 {
			w.countOnce(habitual(refusesBy422))
			refusal(to, http.StatusUnprocessableEntity, "validation_failed", "status: the "+machineFailed)
		} else {
			refusal(to, http.StatusConflict, "not_running", "the "+machineFailed)
		}
		return true
	case i.Status == fakeservice.StatusRunning && at[len(at)-1] == "resize" && planIn(body) == i.Plan:
		if h&resizesAgain == 0 {
			w.countOnce(resizeRefused)
			refusal(to, http.StatusUnprocessableEntity, "validation_failed", "plan: the "+hasPlanAlready)
			return true
		}
		job, err := w.fake.StartJob(i.ID, "resize", "")
		if err != nil {
			return false
		}
		w.countOnce(habitual(resizesAgain))
		w.jobAccepted(i.ID, job.ID, settings{})
		accepted, _ := json.Marshal(map[string]any{"job_id": job.ID}) // strings can be encoded
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(http.StatusAccepted)
		_, _ = to.Write(accepted)
		return true
	}
	return false
}

// hasPlanAlready is the text with which a resize to the current plan is refused.
const hasPlanAlready = "instance has this plan already"

// machineFailed is the text with which a failed machine refuses a change.
const machineFailed = "instance failed; it can only be deleted"

func refusal(to http.ResponseWriter, status int, code, detail string) {
	body, _ := json.Marshal(map[string]any{"code": code, "detail": detail}) // strings can be encoded
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(status)
	_, _ = to.Write(body)
}

func planIn(body []byte) string {
	var sent struct{ Plan string }
	_ = json.Unmarshal(body, &sent) // an invalid request has no plan
	return sent.Plan
}

// leavesDeleting sets the status of instances with a failed deletion, if that is a habit of
// the service: the status stays deleting, without a job.
func (w *world) leavesDeleting() {
	if w.scenario.Habits&staysDeleting == 0 {
		return
	}
	for _, j := range w.fake.Jobs() {
		if j.Operation != "delete" || j.Status != fakeservice.StatusFailed {
			continue
		}
		w.mu.Lock()
		known := w.leftDeleting[j.ID]
		w.leftDeleting[j.ID] = true
		w.mu.Unlock()
		if !known && w.fake.EditInstance(j.InstanceID, func(i *fakeservice.Instance) { i.Status = fakeservice.StatusDeleting }) {
			w.tell("the deletion of %s failed, and its status stays deleting", j.InstanceID)
			w.countOnce(habitual(staysDeleting))
		}
	}
}

// failsNext makes the next job of each operation fail.
func (w *world) failsNext(operations ...string) {
	for _, operation := range operations {
		w.later(w.fake.FailJobs(fakeservice.JobMatch{Operation: operation}, 1, "trouble", "the machine is on fire"))
	}
}

// breaks makes a running machine fail, until it is repaired half an hour later.
func (w *world) breaks(id string) bool {
	broken := false
	w.fake.EditInstance(id, func(i *fakeservice.Instance) {
		if broken = i.Status == fakeservice.StatusRunning; broken {
			i.Status = fakeservice.StatusFailed
		}
	})
	if broken {
		w.touch(id)
		w.soon(30*time.Minute, func() { w.repairs(id) })
	}
	return broken
}

// repairs makes a machine run that has failed, or whose creation has. It reports whether
// there was anything to repair.
func (w *world) repairs(id string) bool {
	i, there := w.fake.Instance(id)
	if !there || i.Status != fakeservice.StatusFailed || i.JobID != "" {
		return false
	}
	w.fake.EditInstance(id, func(i *fakeservice.Instance) { i.Status = fakeservice.StatusRunning })
	w.touch(id)
	w.mu.Lock()
	w.repaired[id] = time.Now()
	w.mu.Unlock()
	w.tell("%s is repaired", id)
	w.countOnce(wasRepaired)
	return true
}

// repairedSince reports whether a person has repaired an instance since a time.
func (w *world) repairedSince(id string, t time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.repaired[id]
	return ok && !at.Before(t)
}

// touch records that a person has changed an instance now.
func (w *world) touch(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touched[id] = time.Now()
}

// resizes moves an instance to another plan, as a person in the portal. It is the
// configured plan if that differs, or the next one that the engines fit in.
func (w *world) resizes(i fakeservice.Instance) bool {
	configured := plans[w.config[argPlan]]
	for _, plan := range append([]string{configured}, plans[1:]...) {
		if plan == i.Plan {
			continue
		}
		if job, err := w.fake.Resize(i.ID, plan); err == nil {
			w.jobAccepted(i.ID, job.JobID, settings{})
			w.resized(i.ID, plan, job.JobID)
			return true
		}
	}
	return false
}

// countFailures counts the failed jobs by their operation.
func (w *world) countFailures() {
	for _, j := range w.fake.Jobs() {
		if j.Status != fakeservice.StatusFailed || j.ErrorCode != "trouble" {
			continue
		}
		switch {
		case j.Operation == "resize":
			w.countOnce(failedResize)
		case j.Operation == "create":
			w.countOnce(failedCreation)
		case slices.Contains(deletions, j.Operation):
			w.countOnce(failedDeletion)
		}
	}
}

// deletions are the operations that delete something.
var deletions = []string{"delete", "app_delete", "database_drop"}

// own records a job that the world's service has started in place of the fake.
func (w *world) own(r *http.Request, status int, answer []byte) {
	var told struct {
		JobID string `json:"job_id"`
	}
	c := callOf(r.Context())
	if c == nil || status != http.StatusAccepted || json.Unmarshal(answer, &told) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.jobs = append(c.jobs, told.JobID)
}

// checkDestroyed checks that a destroy leaves nothing in the state, unless it was hindered
// by weather, another actor, protection, an engine that the configuration never had, or an
// ephemeral connection to an instance whose checkout is open. A machine that was last read
// during its creation is planned to go, as it never ran, and is refused if its deletion sees
// that it runs. A failed machine does not hinder a destroy. Objects that the machine refuses
// to drop individually do: its apps and databases can only be deleted with it.
func (w *world) checkDestroyed(c *cli, st step, a applied) {
	hindered := w.troubled() || st.Cut.At > 0 || st.Beside || st.Key == strangerKey || w.readsLag() > 0 ||
		slices.ContainsFunc(st.Deeds, func(d deed) bool { return d.At > 0 || d.Kind != breaksMachine })
	if hindered || !a.planned && (a.says("is protected") || a.says("waits for its checkout") || a.says("which its configuration never had")) {
		return
	}
	if a.says("is protected") && slices.ContainsFunc(c.addresses(), func(address string) bool {
		i, _ := w.fake.Instance(c.text(address, "id"))
		return i.Status == fakeservice.StatusRunning && c.text(address, "status") == fakeservice.StatusCreating
	}) {
		return
	}
	for _, address := range c.addresses() {
		switch kind, _, _ := strings.Cut(address, "."); kind {
		case "hosting_app", "hosting_postgres_database", "hosting_postgres_extension", "hosting_postgres_script":
			return
		}
	}
	if left := c.addresses(); len(left) > 0 {
		told := "nothing"
		if errors := a.errors(); len(errors) > 0 {
			told = errors[0].text
		}
		w.violate(gotRidOf, "%s stays in the state: %s", strings.Join(left, ", "), told)
	}
}

// failsSoon reports whether the deletion of an instance may fail or be held. It may fail as
// long as fewer deletions have failed than people have made fail.
func (w *world) failsSoon() bool {
	failed := 0
	for _, j := range w.fake.Jobs() {
		if j.Operation == "delete" && j.Status == fakeservice.StatusFailed {
			failed++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unhurried || failed < w.mayFailDeletion
}

// liftsProtection reports whether an apply only turned off the protection of a machine
// whose deletion had failed: the next apply deletes it.
func (a applied) liftsProtection() bool {
	if !a.planned {
		return false // a plan that cannot be made turns nothing off
	}
	for _, made := range a.changed {
		protected, _ := attribute(made.prior, "deletion_protection").(bool)
		if made.kind == "hosting_instance" && made.do == update && protected && !a.hasFailed(made.address) && textOf(attributesOf(made.prior)["status"]) == fakeservice.StatusDeleting {
			return true
		}
	}
	return false
}

// isOnFailedMachine reports whether an error at an address may be about an instance of the
// first CLI or of this one that cannot be used: the one at that address, or the first one.
func (w *world) isOnFailedMachine(c *cli, address string) bool {
	return slices.ContainsFunc([]*cli{w.first, c}, func(of *cli) bool {
		return w.cannotBeUsed(of, webAddress) || w.cannotBeUsed(of, address)
	})
}

// cannotBeUsed reports whether the instance at an address cannot be used and is not replaced.
// It, or its deletion, has failed, and it was imported or is protected.
func (w *world) cannotBeUsed(c *cli, address string) bool {
	i, there := w.fake.Instance(c.text(address, "id"))
	if !there {
		return false
	}
	protected, _ := c.attribute(address, "deletion_protection").(bool)
	deleting := i.Status == fakeservice.StatusDeleting
	return deleting && protected || (deleting || i.Status == fakeservice.StatusFailed) && c.imported(i.ID)
}
