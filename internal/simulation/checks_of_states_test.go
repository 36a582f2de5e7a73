package simulation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// makes records that the service has created something.
func (w *world) makes(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made[id] = time.Now()
}

// madeSince reports whether the service has created something since a time.
func (w *world) madeSince(id string, since time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.made[id].Before(since)
}

// checkTaken checks that the object that a creation puts into the state is its own. It may
// only take another object if a person created an equal one at about the same time.
func (w *world) checkTaken(c *call, kind string, result value) {
	id, _ := attribute(result, "id").(string)
	c.mu.Lock()
	own := slices.Contains(c.ids, id)
	ids := slices.Clone(c.ids)
	c.mu.Unlock()
	if own || kind != "hosting_instance" && kind != "hosting_webhook_endpoint" {
		return
	}
	c.cli.lose(c) // if it has created an object, that one does not come into the state
	w.mu.Lock()
	made := w.made[id]
	w.mu.Unlock()
	// It may also have been invisible: one list may serve creations for half a minute.
	meanwhile := !made.Before(c.began.Add(-30*time.Second - w.readsLag()))
	i, there := w.fake.Instance(id)
	a := c.block.arguments
	tags, _ := a["tags"].([]string)
	hides := func(field hidden) bool { return w.scenario.Hides&field != 0 } // then it cannot be compared
	// An object that has been changed since cannot be compared with its creation.
	equal := kind != "hosting_instance" || !there || !w.touchedAt(id).IsZero() || i.Name == w.scenario.Shapes.text("name", a["name"].(string)) && i.Region == a["region"] &&
		(hides(hidesPlan) || w.wasResized(id) || i.Plan == a["plan"]) && (hides(hidesTags) || list(i.Tags) == list(tags))
	// The search must also find the call's own object, unless it was created late or has
	// changed.
	overlooked := slices.ContainsFunc(ids, func(own string) bool {
		return !w.madeLate(c, own) && w.equals(own, *c.block) && w.touchedAt(own).IsZero() && w.readsLag() == 0
	})
	if !meanwhile || !equal || overlooked {
		w.violate(oneMachine, "%s of %s takes %s, which it has not made", c.what, c.address, id)
	}
}

// madeLate reports whether a call's request created something only after the call received
// the outcome of the request.
func (w *world) madeLate(c *call, id string) bool {
	c.mu.Lock()
	n := len(c.posts)
	ended := time.Now()
	if n > 0 {
		ended = c.posts[n-1].at
	}
	c.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[id].After(ended)
}

// touchedAt returns the time of a person's latest change of an instance.
func (w *world) touchedAt(id string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.touched[id]
}

// anyTouchedSince reports whether a person has changed an instance since then.
func (w *world) anyTouchedSince(then time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.touched {
		if !at.Before(then) {
			return true
		}
	}
	return false
}

// checkOnce checks that no object has two addresses in a state.
func (w *world) checkOnce(c *cli) {
	at := map[string]string{}
	for _, address := range c.addresses() {
		id := c.text(address, "id")
		if other, taken := at[id]; taken && id != "" {
			w.violate(oneMachine, "%s is %s and %s", id, other, address)
		}
		at[id] = address
	}
}

// exists reports whether the object of a resource exists at the service, or is being
// created.
func (w *world) exists(kind string, v value) bool {
	id, _ := attribute(v, "instance_id").(string)
	name, _ := attribute(v, "name").(string)
	i, there := w.fake.Instance(id)
	for _, j := range w.fake.Jobs() {
		making := kind == "hosting_app" && j.Operation == "app_import" || kind == "hosting_postgres_database" && j.Operation == "database_create"
		if making && j.InstanceID == id && j.InProgress() && strings.HasSuffix(j.Target, "/"+name) {
			return true
		}
	}
	switch kind {
	case "hosting_account_profile":
		return true // an account always has one
	case "hosting_instance":
		own, _ := attribute(v, "id").(string)
		_, there = w.fake.Instance(own)
		return there
	case "hosting_webhook_endpoint":
		own, _ := attribute(v, "id").(string)
		return slices.ContainsFunc(w.fake.Webhooks(), func(e fakeservice.Webhook) bool { return e.ID == own })
	case "hosting_app":
		_, there = w.fake.App(id, name)
		return there
	case "hosting_postgres_database":
		return slices.ContainsFunc(w.fake.Databases(id), func(d fakeservice.Database) bool { return d.Name == name })
	case "hosting_postgres_extension":
		database, _ := attribute(v, "database").(string)
		return slices.ContainsFunc(w.fake.Extensions(id), func(e fakeservice.Extension) bool {
			return e.Name == name && (e.Database == database || database == "")
		})
	case "hosting_auth_settings":
		return there && i.Engines["auth"] != nil
	case "hosting_console_mode", "hosting_postgres_script":
		return there && i.Engines["postgres"] != nil
	}
	return there
}

// removedByRead checks that a resource that a refresh removes from the state no longer
// exists.
func (w *world) removedByRead(c *call, kind string, prior value) {
	if kind != "hosting_instance" && w.hidesEngines(c.began) {
		return // the record shows the engine as off, so its objects seem deleted too
	}
	if w.exists(kind, prior) {
		w.violate(staysInState, "%s of %s takes it out of the state, and it exists", c.what, c.address)
	}
}

// leftByApply checks a creation or deletion that leaves nothing in the state.
func (w *world) leftByApply(c *call, made *change, bad bool) {
	if c.what == "delete" && !bad {
		switch made.kind {
		case "hosting_instance", "hosting_webhook_endpoint", "hosting_app", "hosting_postgres_database", "hosting_postgres_extension":
			if w.exists(made.kind, made.prior) {
				w.violate(staysInState, "%s of %s is told as done, and it exists", c.what, c.address)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.what == "create" && len(c.ids) > 0 {
		c.run.leaves(c.address)
	}
	if c.what == "create" && bad && len(c.ids) > 0 && c.refusedAsExisting {
		w.violate(staysInState, "the creation of %s is told as a conflict with what it has made itself, %v", c.address, c.ids)
	}
	for _, id := range c.ids {
		if c.what == "create" && c.answered[id] {
			w.violate(staysInState, "the client was told that %s is made for %s, and it is not in the state", id, c.address)
		}
	}
}

// toldAsDone checks the jobs of a call without diagnostics: they must have succeeded, and
// so must the latest build of an app that the call has changed. A repeated request may have
// started a second job that changes nothing.
func (w *world) toldAsDone(c *call) {
	c.mu.Lock()
	started := slices.Clone(c.jobs)
	c.mu.Unlock()
	var own []fakeservice.Job
	for _, j := range w.fake.Jobs() {
		if _, there := w.fake.Instance(j.InstanceID); there && slices.Contains(started, j.ID) {
			own = append(own, j)
		}
	}
	for _, j := range own {
		// The other CLI may have asked for the same, and its job did it.
		done := slices.ContainsFunc(w.fake.Jobs(), func(other fakeservice.Job) bool {
			return other.InstanceID == j.InstanceID && other.Operation == j.Operation && other.Target == j.Target &&
				other.Status == fakeservice.StatusDone && !other.FinishedAt.Before(c.began)
		})
		// If reads lag, a job that changes nothing may be invisible. The reset of a console
		// that was off has nothing to do, even if its job fails.
		i, _ := w.fake.Instance(j.InstanceID)
		unseen := w.readsLag() > 0 && j.Status != "failed" ||
			c.what == "delete" && j.Operation == "console" && i.ConsoleMode == "off"
		if !done && !unseen {
			w.violate(toldTruly, "%s of %s ends well, and its job %s %s is %s", c.what, c.address, j.Operation, j.ID, j.Status)
		}
	}
	if c.what != "update" || len(own) == 0 || !strings.HasPrefix(c.address, "hosting_app.") {
		return
	}
	for _, a := range w.fake.Apps(own[0].InstanceID) {
		if len(a.Builds) > 0 && a.Builds[0].Status == fakeservice.StatusFailed && a.Builds[0].FinishedAt.After(c.began) {
			w.violate(toldTruly, "%s of %s ends well, and the build %s has failed", c.what, c.address, a.Builds[0].ID)
		}
	}
}

// toldAsChanged checks that an update without diagnostics has made the planned changes,
// even if its reads lag. If others act, they may have changed the object since. A value that
// goes from A to B and back to A while reads lag is not defended (DESIGN.md).
func (w *world) toldAsChanged(c *call, made *change) {
	if c.what != "update" || w.othersAct() {
		return
	}
	for name, got := range w.textsOf(made.kind, made.prior) {
		before, _ := attribute(made.prior, name).(string)
		want, _ := attribute(made.planned, name).(string)
		if want == "" || want == before {
			continue
		}
		if got != want && !w.isOldValue(c.address, name, want) && !c.run.saysOf(c.address, planNotKnown) {
			w.violate(toldTruly, "%s of %s ends well, and its %s is %q instead of %q", c.what, c.address, name, got, want)
		}
	}
}

// isOldValue reports whether reads that lag may still show the wanted value of an attribute,
// from before the last change.
func (w *world) isOldValue(address, name, want string) bool {
	lag := w.readsLag() + 2*longestLatency
	w.mu.Lock()
	defer w.mu.Unlock()
	old, changed := w.replaced[address+"."+name]
	return changed && old.value == want && time.Since(old.at) < lag
}

// noteReplaced notes the values that an update has replaced.
func (w *world) noteReplaced(c *call, made *change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range []string{"name", "plan", "branch"} {
		before, _ := attribute(made.prior, name).(string)
		if want, _ := attribute(made.planned, name).(string); c.what == "update" && want != before {
			w.replaced[c.address+"."+name] = replacedValue{before, time.Now()}
		}
	}
}

// A replacedValue is the value of an attribute before an update.
type replacedValue struct {
	value string
	at    time.Time // the end of the update
}

// textsOf returns those texts of an object at the service that an update can change.
func (w *world) textsOf(kind string, v value) map[string]string {
	id, _ := attribute(v, "id").(string)
	instanceID, _ := attribute(v, "instance_id").(string)
	name, _ := attribute(v, "name").(string)
	switch kind {
	case "hosting_instance":
		if i, there := w.fake.Instance(id); there {
			return map[string]string{"name": i.Name, "plan": i.Plan}
		}
	case "hosting_console_mode":
		if i, there := w.fake.Instance(instanceID); there {
			return map[string]string{"mode": i.ConsoleMode}
		}
	case "hosting_app":
		if app, there := w.fake.App(instanceID, name); there {
			return map[string]string{"branch": app.Branch}
		}
	}
	return nil
}

// consoleOf returns the console's mode before a script's call. It returns "" for any other
// call, and if something else may change the mode.
func (w *world) consoleOf(made *change) string {
	if made.kind != "hosting_postgres_script" || w.troubled() || w.othersAct() || w.scenario.Lag > 0 {
		return ""
	}
	state := made.config
	if made.block == nil {
		state = made.prior
	}
	id, _ := attribute(state, "instance_id").(string)
	i, _ := w.fake.Instance(id)
	return i.ConsoleMode
}

// leftConsole is the part of an error which says that a script left the console in the mode
// that it needs.
const leftConsole = "was left in mode rw and must be set to"

// checkConsole checks that the console's mode is the same as before a script's call. After
// Ctrl-C a call has half a minute, and a statement may take longer. The error must then say
// what to do by hand; told reports whether it does.
func (w *world) checkConsole(c *call, made *change, before string, told bool) {
	if told && w.scenario.Habits&slowStatements != 0 || before == "" || c.process.command.killed() {
		return
	}
	if now := w.consoleOf(made); now != before && now != "" {
		w.violate(putBack, "the console was %s before %s of %s, and is %s", before, c.what, c.address, now)
	}
}

// tainted checks that a tainted resource has a failure at the service.
func (w *world) tainted(c *call, kind string, result value) {
	id, _ := attribute(result, "instance_id").(string)
	if kind == "hosting_instance" {
		id, _ = attribute(result, "id").(string)
	}
	for _, j := range w.fake.Jobs() {
		if j.InstanceID == id && j.Status == "failed" && !j.FinishedAt.Before(c.began.Add(-time.Second)) {
			return
		}
	}
	for _, a := range w.fake.Apps(id) {
		if a.Status == "failed" || slices.ContainsFunc(a.Builds, func(b fakeservice.Build) bool { return b.Status == "failed" }) {
			return
		}
	}
	if c.cli.unknownOutcome(c.address) == c {
		return
	}
	w.violate(taintedOnly, "%s is tainted", c.address)
}

// checkPatience checks that the apply waited for its creations, unless something prevented
// that.
func (w *world) checkPatience(r *run) {
	w.mu.Lock()
	unhurried := w.unhurried
	w.mu.Unlock()
	if r.command.interrupted() || r.command.killed() || unhurried || w.hasShortTimeout() || w.longTroubled() {
		return
	}
	for _, text := range []string{"is still being created", "is not deployed yet"} {
		if r.says(text) {
			w.violate(seenToItsEnd, "the apply ends with: %s", text)
		}
	}
}

// hasShortTimeout reports whether creations may time out before their jobs end. It checks
// the configuration and not the blocks: the other CLI has blocks only while the first one
// has an instance.
func (w *world) hasShortTimeout() bool { return w.config[argTimeout] != 0 }

// longTroubled reports whether the step's weather may have lasted as long as a wait must
// tolerate. That limit is two minutes, and the last request with a fault may have taken
// one of them.
func (w *world) longTroubled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weather != nil && w.weather.last.Sub(w.weather.first) > time.Minute
}

// checkOrphans checks that a plan that creates an instance or an endpoint again names the
// one that an earlier creation left behind.
func (w *world) checkOrphans(c *cli, r *run, changes map[string]*change) {
	if r.command.key == strangerKey {
		return // the other account cannot see it
	}
	for _, lost := range c.orphans() {
		made := changes[lost.address]
		if made == nil && !r.hasFailed(lost.address) || c.get(lost.address) != nil || r.command.interrupted() || r.command.killed() {
			continue
		}
		b, ok := byAddress(c.blocks())[lost.address]
		if !ok || !w.equals(lost.id, b) || r.says(lost.id) {
			continue
		}
		if len(r.errors()) > 0 && made == nil {
			continue // the plan failed for another reason
		}
		unchecked := slices.ContainsFunc([]string{
			"could not be checked", "The service did not answer", "The provider's base URL does not lead to the service",
		}, r.says)
		if unchecked || w.readsLag() > 0 || w.madeSince(lost.id, r.command.began) {
			continue // it reports that, or could not see the object yet
		}
		w.violate(orphanNamed, "the plan of %s does not name %s", lost.address, lost.id)
	}
}

// troubled reports whether there is any weather, or an outage from an earlier step.
func (w *world) troubled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.weather != nil && (len(w.weather.strikes) > 0 || w.weather.outage)
}

// equals reports whether a created object exists and matches a block.
func (w *world) equals(id string, b block) bool {
	switch b.kind {
	case "hosting_instance":
		i, there := w.fake.Instance(id)
		return there && !w.seemsFailed() && i.Status != "failed" && i.Status != "deleting" && i.Name == w.scenario.Shapes.text("name", b.arguments["name"].(string)) && i.Plan == b.arguments["plan"] && i.Region == b.arguments["region"]
	case "hosting_webhook_endpoint":
		return slices.ContainsFunc(w.fake.Webhooks(), func(e fakeservice.Webhook) bool { return e.ID == id && e.URL == b.arguments["url"] })
	}
	return false
}

// leavesEnginesAlone reports whether an instance has engines that an apply left alone,
// although its plan promised a state without them: they were never configured.
func (w *world) leavesEnginesAlone(v value) bool {
	id, _ := attribute(v, "id").(string)
	i, there := w.fake.Instance(id)
	engines, _ := attribute(v, "engines").(map[string]any)
	return there && slices.ContainsFunc(engineNamesOf(i), func(name string) bool { _, known := engines[name]; return !known })
}

// readAgain checks that the process reads nothing older than its own changes, if nothing
// else changes the objects. Objects that the command did not refresh are left out, because
// their state may be older.
func (w *world) readAgain(r *run, p *process, changes map[string]*change) {
	if w.record != nil || w.scenario.Lag > 0 || w.scenario.Shapes&moreEngines != 0 || w.troubled() || len(r.told) > 0 || r.command.killed() || r.command.interrupted() || w.othersAct() {
		return
	}
	again := r.cli.run(r.command)
	for _, address := range r.cli.addresses() {
		if !r.command.refreshes(changes[address]) {
			continue
		}
		s := r.cli.get(address)
		prior, ok := again.upgrade(p, address, s)
		if !ok {
			return
		}
		now, v, ok := again.read(p, address, s)
		// An app's next apply waits for the job of an earlier one. The refresh of another
		// resource may read the record from before such a job.
		earlier := s.kind != "hosting_app" && w.hadJobAt(r.command.began)
		if ok && now != nil && !v.Equal(prior) && !earlier && !w.leavesEnginesAlone(prior) {
			w.violate(readsItsOwn, "%s is read as %v", address, differences(prior, v))
		}
	}
}

// hadJobAt reports whether a job was in progress at a time.
func (w *world) hadJobAt(at time.Time) bool {
	return slices.ContainsFunc(w.fake.Jobs(), func(j fakeservice.Job) bool {
		return j.CreatedAt.Before(at) && (j.InProgress() || j.FinishedAt.After(at))
	})
}

// othersAct reports whether the other CLI or a person acts in the scenario.
func (w *world) othersAct() bool {
	return slices.ContainsFunc(w.scenario.Steps, func(s step) bool { return len(s.Deeds) > 0 || s.Beside || s.By == 1 })
}

// checkAtTheEnd checks the final state of the world.
func (w *world) checkAtTheEnd() {
	for _, text := range w.fake.Violations() {
		w.violate(keepsToDoc, "%s", text)
	}
	w.countFailures()
	if n := w.unknowns.Load(); n > 0 {
		w.violate(promised, "%d unknown values had to be kept out of states: a computed attribute is missing in computed() of its model, or in setRecord", n)
	}
	w.checkHistory()
	w.checkNobodysInstances()
	for _, p := range w.running {
		w.holdSecret("the log", []byte(p.log.String()))
	}
	for _, c := range []*cli{w.first, w.other} {
		for _, address := range c.addresses() {
			w.checkState(c, address)
		}
	}
}

// checkNobodysInstances checks that each instance and endpoint is in a state, unless its
// creation was interrupted or reported an unknown outcome.
func (w *world) checkNobodysInstances() {
	known := map[string]bool{}
	for _, c := range []*cli{w.first, w.other} {
		for _, address := range c.addresses() {
			known[c.text(address, "id")] = true
		}
		for _, o := range c.orphans() {
			known[o.id] = true
		}
		for id := range c.released {
			known[id] = true
		}
	}
	for _, i := range w.fake.Instances() {
		if !known[i.ID] {
			w.violate(oneMachine, "the instance %s (%s) is in no state", i.ID, i.Name)
		}
	}
	for _, e := range w.fake.Webhooks() {
		if !known[e.ID] {
			w.violate(oneMachine, "the endpoint %s is in no state", e.ID)
		}
	}
}

// checkState checks that the readable part of a state contains no secret.
func (w *world) checkState(c *cli, address string) {
	s := c.get(address)
	var all map[string]any
	_ = json.Unmarshal(s.json, &all) // it was encoded here
	for _, a := range schemaOf(s.kind).Block.Attributes {
		if a.Sensitive && !a.WriteOnly {
			delete(all, a.Name)
		}
	}
	open, _ := json.Marshal(all) // decoded JSON can be encoded
	w.holdSecret("the state of "+address, open)
	w.holdSecret("the private state of "+address, s.private)
}
