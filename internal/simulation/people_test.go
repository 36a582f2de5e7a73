package simulation

import (
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// portalVariable is the variable that a person adds to an app.
const portalVariable = "PORTAL"

// person acts in the portal, on the first existing instance.
func (w *world) person(does deedKind) {
	instances := w.fake.Instances()
	id := ""
	if len(instances) > 0 {
		id = instances[0].ID
	}
	edit := func(change func(*fakeservice.Instance)) bool {
		if !w.fake.EditInstance(id, func(i *fakeservice.Instance) { change(i) }) {
			return false
		}
		w.edited(id)
		return true
	}
	done := false
	switch does {
	case opensCheckout:
		done = w.payAll()
	case addsTag:
		done = edit(func(i *fakeservice.Instance) { i.Tags = append(i.Tags, "portal") })
	case addsAddress:
		done = edit(func(i *fakeservice.Instance) { i.Allowlist = append(i.Allowlist, "192.0.2.0/24") })
	case addsEngine:
		done = id != "" && instances[0].Status == fakeservice.StatusRunning && w.startsJob(id, "engines")
		if done {
			w.soon(25*time.Second, func() {
				edit(func(i *fakeservice.Instance) {
					if i.Engines["nats"] == nil {
						i.Engines["nats"] = &fakeservice.Engine{MemoryMB: 64}
					}
				})
			})
		}
	case setsConsole:
		done = edit(func(i *fakeservice.Instance) { i.ConsoleMode = "rw" })
	case renames:
		done = edit(func(i *fakeservice.Instance) { i.Name = "renamed" })
	case startsJob:
		done = w.startsJob(id, "update")
	case startsAction:
		done = w.startsJob(id, "rotate")
	case addsVariable:
		done = w.fake.EditApp(id, "guestbook", func(a *fakeservice.App) {
			env := map[string]string{portalVariable: "1"}
			for name, value := range a.Env {
				env[name] = value
			}
			a.Env = env
		})
		w.touch(id + "/guestbook")
	case disablesEndpoint:
		for _, endpoint := range w.fake.Webhooks() {
			done = w.fake.EditWebhook(endpoint.ID, func(e *fakeservice.Webhook) { e.Enabled = false })
		}
	case failsJob:
		w.mu.Lock()
		w.mayFailDeletion++
		w.mu.Unlock()
		w.later(w.fake.FailJobs(fakeservice.JobMatch{}, 1, "trouble", "the machine is on fire"))
		done = true
	case failsBuild:
		w.later(w.fake.FailBuilds(fakeservice.BuildMatch{}, 1, "no such file"))
		done = true
	case strangeStatus:
		done = w.shows("restarting")
	case seemsFailed:
		done = w.shows(fakeservice.StatusFailed)
	case crashesApp:
		w.mu.Lock()
		w.crashedUntil = time.Now().Add(2 * time.Minute)
		w.mu.Unlock()
		done = len(w.fake.Apps(id)) > 0
	case deletesInstance:
		if done = w.fake.RemoveInstance(id); done {
			w.mu.Lock()
			delete(w.history, id)
			w.mu.Unlock()
		}
	case deletesApp:
		done = w.fake.RemoveApp(id, "guestbook")
	case deletesDatabase:
		done = w.fake.RemoveDatabase(id, "shop")
	case deletesEndpoint:
		for _, endpoint := range w.fake.Webhooks() {
			done = w.fake.RemoveWebhook(endpoint.ID)
		}
	case closesConsole:
		done = edit(func(i *fakeservice.Instance) { i.ConsoleMode = "off" })
	case resizesMachine:
		done = id != "" && instances[0].Status == fakeservice.StatusRunning && w.resizes(instances[0])
	case failsDeletion:
		w.mu.Lock()
		w.mayFailDeletion++
		w.mu.Unlock()
		w.failsNext(deletions...)
		done = true
	case failsResize:
		w.failsNext("resize")
		done = true
	case failsCreation:
		w.failsNext("create")
		done = true
	case breaksMachine:
		done = w.breaks(id)
	case repairsMachine:
		for _, i := range instances {
			done = w.repairs(i.ID) || done
		}
	case hidesEngine:
		w.mu.Lock()
		w.engineHiddenUntil = time.Now().Add(2 * time.Minute)
		w.mu.Unlock()
		done = true
	case holdsJobs:
		w.unhurriedNow()
		release := w.fake.HoldJobs(fakeservice.JobMatch{})
		w.soon(40*time.Minute, release)
		done = true
	}
	if done {
		w.tell("a person %s", does)
		w.count(did(does))
	}
}

// soon calls a function after a time, unless the world has ended by then.
func (w *world) soon(after time.Duration, do func()) {
	w.calls.Go(func() {
		select {
		case <-time.After(after + 311*time.Microsecond):
			do()
		case <-w.over:
		}
	})
}

// shows makes the records of running instances show a different status for a while.
func (w *world) shows(status string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status, w.statusUntil = status, time.Now().Add(2*time.Minute)
	return true
}

// seemsFailed reports whether running instances are shown as failed.
func (w *world) seemsFailed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status == fakeservice.StatusFailed && time.Now().Before(w.statusUntil)
}

// alterStatus puts the status that instances and apps currently show into an answer.
func (w *world) alterStatus(answer any) {
	w.mu.Lock()
	status, until, crashedUntil := w.status, w.statusUntil, w.crashedUntil
	w.mu.Unlock()
	body, _ := answer.(map[string]any)
	instances, _ := body["instances"].([]any)
	apps, _ := body["apps"].([]any)
	for _, one := range slices.Concat(instances, apps, []any{answer}) {
		record, _ := one.(map[string]any)
		switch {
		case record["status"] != fakeservice.StatusRunning:
		case record["region"] != nil && time.Now().Before(until):
			record["status"] = status
		case record["repo"] != nil && time.Now().Before(crashedUntil):
			record["status"] = fakeservice.StatusFailed
		}
	}
}

func (w *world) unhurriedNow() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unhurried = true
}

// later calls a function when the weather clears up.
func (w *world) later(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cleanUps = append(w.cleanUps, do)
}

// startsJob starts a job that changes nothing.
func (w *world) startsJob(id, operation string) bool {
	job, err := w.fake.StartJob(id, operation, "")
	if err == nil {
		w.jobAccepted(id, job.ID, settings{})
	}
	return err == nil
}

// payAll opens every checkout, and reports whether there was one.
func (w *world) payAll() bool {
	paid := false
	for _, i := range w.fake.Instances() {
		if i.CheckoutURL == "" || w.fake.PayCheckout(i.ID) != nil {
			continue
		}
		paid = true
		w.mu.Lock()
		w.paid[i.CheckoutURL] = time.Now()
		w.mu.Unlock()
	}
	return paid
}

// engineNames returns the names of an instance's engines.
func engineNamesOf(i fakeservice.Instance) []string {
	names := sortedNames(i.Engines)
	slices.Sort(names)
	return names
}
