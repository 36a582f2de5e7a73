package simulation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// a resizing is a resize that the service accepted.
type resizing struct {
	instance, plan, job string
	at                  time.Time
}

func (w *world) resized(instance, plan, job string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resizings = append(w.resizings, resizing{instance, plan, job, time.Now()})
}

// wasResized reports whether the service has ever accepted a resize of an instance.
func (w *world) wasResized(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.resizings, func(r resizing) bool { return r.instance == id })
}

// couldBeRead is the age that a fact must have so that the provider can have known it at
// its request: the lag of reads, and a moment for the read.
func (w *world) couldBeRead() time.Duration { return w.readsLag() + 6*longestLatency }

// repeats returns a violation if a request asks for something that is already done, or in
// progress since before its call, and "" otherwise. Changes in the moment before the
// request do not count.
func (w *world) repeats(r *http.Request, body []byte) string {
	at := segments(path(r))
	if len(at) < 3 || at[0] != "instances" {
		return ""
	}
	i, there := w.fake.Instance(at[1])
	if !there || i.Status != fakeservice.StatusRunning {
		return ""
	}
	known := sentAt(r).Add(-w.couldBeRead())
	late := time.Since(sentAt(r)) > longestLatency // the weather may have changed since
	if late {
		known = sentAt(r).Add(-weather.LongestLag - 6*longestLatency)
	}
	switch {
	case r.Method == http.MethodPost && at[len(at)-1] == "resize":
		if w.touchedSince(r, i.ID) {
			return ""
		}
		return w.repeatsResize(i, planIn(body), callOf(r.Context()).began.Add(-w.couldBeRead()), known)
	case late || w.troubled() || w.touchedSince(r, i.ID) || w.changedSince(i.ID, known):
		return "" // it may be repeated after a lost answer, or could not know better
	case r.Method == http.MethodPut && at[len(at)-1] == "engines" && w.scenario.Shapes&(engineNames|engineFlags) == 0 && !w.hidesEngines(known):
		return w.repeatsEngines(i, body)
	case r.Method == http.MethodPatch && len(at) == 4 && at[2] == "apps" && w.scenario.Shapes&(fewSettings|masked) == 0 && w.scenario.Hides == 0:
		app, _ := w.fake.App(at[1], at[3])
		return repeatsApp(app, body)
	}
	return ""
}

// repeatsResize returns a violation if an instance has had the plan that it should be
// resized to since before known, or a job has been making it since before begun. A call
// that is refused for a newer job asks again until reads show that job.
func (w *world) repeatsResize(i fakeservice.Instance, plan string, begun, known time.Time) string {
	if w.scenario.Hides&hidesPlan != 0 {
		return ""
	}
	w.mu.Lock()
	resizings := slices.Clone(w.resizings)
	w.mu.Unlock()
	since := later(i.CreatedAt, w.creationOf(i.ID).FinishedAt)
	for _, j := range w.fake.Jobs() {
		if j.InstanceID != i.ID || j.Operation != "resize" {
			continue
		}
		if j.InProgress() {
			making := slices.ContainsFunc(resizings, func(one resizing) bool { return one.job == j.ID && one.plan == plan && one.at.Before(begun) })
			if making {
				return "it resizes to " + plan + ", which a job is making it already"
			}
		}
		since = later(since, j.FinishedAt)
	}
	if i.Plan == plan && since.Before(known) {
		return "it resizes to " + plan + ", which it is already"
	}
	return ""
}

// changedSince reports whether a job of an instance has ended since then.
func (w *world) changedSince(id string, then time.Time) bool {
	return slices.ContainsFunc(w.fake.Jobs(), func(j fakeservice.Job) bool {
		return j.InstanceID == id && j.FinishedAt.After(then)
	})
}

// touchedSince reports whether a person has changed an instance during a request's call, or
// so shortly before it that no read could show that.
func (w *world) touchedSince(r *http.Request, id string) bool {
	c := callOf(r.Context())
	return c == nil || w.touchedAt(id).After(c.began.Add(-w.couldBeRead()))
}

func (w *world) repeatsEngines(i fakeservice.Instance, body []byte) string {
	var asked struct {
		Engines map[string]struct {
			MemoryMB *int `json:"memory_mb"`
		}
	}
	if json.Unmarshal(body, &asked) != nil || len(asked.Engines) != len(i.Engines) {
		return ""
	}
	floors := map[string]int{}
	w.fake.EditCatalog(func(c *fakeservice.Catalog) {
		for name, engine := range c.Engines {
			floors[name] = engine.FloorMB
		}
	})
	for name, wanted := range asked.Engines {
		memory := floors[name]
		if wanted.MemoryMB != nil {
			memory = *wanted.MemoryMB
		}
		if is := i.Engines[name]; is == nil || is.MemoryMB != memory {
			return ""
		}
	}
	return "it sets the engines that are on, " + strings.Join(engineNamesOf(i), ", ")
}

func repeatsApp(app fakeservice.App, body []byte) string {
	var asked core.AppChange
	if json.Unmarshal(body, &asked) != nil || asked.Branch == nil && asked.Env == nil {
		return "" // it builds nothing
	}
	changed := app
	if asked.Apply(&changed); !cmp.Equal(changed, app, cmpopts.EquateEmpty()) {
		return ""
	}
	return "it builds the app that is built"
}
