package simulation

import (
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// settle applies in fair weather until nothing is left to do. It checks that one apply
// suffices: it empties the plan, or ends in an error of the closed list.
func (w *world) settle(c *cli) {
	for range 6 {
		a := w.apply(c, newCommand(cut{}), nil)
		if w.takesTheAdvice(c, a.run) {
			continue
		}
		if a.says(unknownScript) && w.decides(c) {
			continue
		}
		if a.says("waits for its checkout") && w.payAll() {
			w.tell("the checkout is opened")
			time.Sleep(20 * time.Minute)
			continue
		}
		if a.says("is still being created") && w.hasShortTimeout() {
			time.Sleep(20 * time.Minute)
			continue
		}
		if a.liftsProtection() && !a.says(hasNoConnection) {
			continue // objects on the instance fail until the next apply replaces it
		}
		for _, e := range a.errors() {
			if !closed(e.text) && !w.neverDeployed(c, e.address) && !w.isUntold(e.text) && !w.isOnFailedMachine(c, e.address) || w.neverRan(c, e) {
				w.violate(settled, "an apply in fair weather ends with (%s %s): %s", e.during, e.address, e.text)
			}
		}
		if len(a.errors()) > 0 {
			w.count(endedClosed)
			return
		}
		w.holdEmpty(c, a.run)
		return
	}
	w.violate(settled, "the applies in fair weather come to no end")
}

// The texts of warnings that the service stores a different form of a value, or does not
// show a change.
const (
	inItsOwnForm = "The service stores values in its own form"
	planNotKnown = "The plan of the instance is not known"
)

// neverDeployed reports whether an address belongs to an app without any successful build.
// An imported app of this kind is not replaced, and its error says what failed.
func (w *world) neverDeployed(c *cli, address string) bool {
	app, there := w.fake.App(c.text(address, "instance_id"), c.text(address, "name"))
	return there && strings.HasPrefix(address, "hosting_app.") && len(app.Builds) > 0 &&
		!slices.ContainsFunc(app.Builds, func(b fakeservice.Build) bool { return b.Status == fakeservice.StatusSuccessful })
}

// isUntold reports whether an error refuses a resize to a plan that no record shows: a resize
// that was interrupted has been made since.
func (w *world) isUntold(text string) bool {
	return w.scenario.Hides&hidesPlan != 0 && strings.Contains(text, hasPlanAlready)
}

// neverRan reports whether an error protects an instance whose creation has failed.
func (w *world) neverRan(c *cli, e told) bool {
	i, there := w.fake.Instance(c.text(e.address, "id"))
	return there && strings.Contains(e.text, "is protected from") && i.Host == "" && i.Status == fakeservice.StatusFailed && !c.imported(i.ID)
}

// imported reports whether an object came into the state by an import. The state then does
// not show that the object never ran.
func (c *cli) imported(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.released[id] || c.taken[id]
}

// holdEmpty checks that a plan has nothing to do after an apply. The only exceptions are
// values in the service's own form, which the apply must have reported.
func (w *world) holdEmpty(c *cli, after *run) {
	cmd := newCommand(cut{})
	r := c.run(cmd)
	changes, _ := r.plan(w.start(c, cmd))
	if w.scenario.Shapes&moreEngines != 0 && r.says("has the engine "+foreignEngine) {
		w.count(endedClosed) // the service turns it on by itself, and the configuration never had it
		return
	}
	for _, e := range r.errors() {
		w.violate(settled, "the plan after an apply in fair weather ends with: %s", e.text)
	}
	for _, address := range sortedNames(changes) {
		made := changes[address]
		if made.do == update && after.saysOf(address, inItsOwnForm) {
			w.countOnce(endedOwnForm)
			continue
		}
		if made.do != nothing {
			w.violate(settled, "after an apply in fair weather the plan of %s is to %s: %v", address, made.do, differences(made.prior, made.planned))
		}
	}
	w.checkConfigured(c, func(address string) bool {
		made := changes[address] // nil if its plan ended with an error
		return made == nil || made.do != nothing
	})
	w.checkNotes(c)
	w.count(endedEmpty)
}
