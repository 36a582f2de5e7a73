package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// settings are the properties of an instance that a job can change, each rendered. "" means
// that a job does not change the property, or that it is unknown.
type settings struct{ name, tags, allowlist, console, engines string }

func (s settings) with(changed settings) settings {
	hadPostgres := strings.Contains(s.engines, "postgres")
	for _, field := range []struct{ old, new *string }{
		{&s.name, &changed.name}, {&s.tags, &changed.tags}, {&s.allowlist, &changed.allowlist},
		{&s.console, &changed.console}, {&s.engines, &changed.engines},
	} {
		if *field.new != "" {
			*field.old = *field.new
		}
	}
	if hadPostgres && !strings.Contains(s.engines, "postgres") {
		s.console = "=off" // the console ends with its engine
	}
	return s
}

// The operations on an instance, as carried out by the service.
type (
	// madeOp creates the instance, with a job.
	madeOp struct {
		job string
		is  settings
	}
	// acceptedOp begins a job.
	acceptedOp struct {
		job     string
		changes settings
	}
	// endedOp ends a job.
	endedOp struct {
		job  string
		done bool
	}
	// editedOp is a change without a job, by a person.
	editedOp struct{ is settings }
	// readOp reads the instance.
	readOp struct {
		job string
		is  settings
	}
)

// machine is the model's state of an instance.
type machine struct {
	there   bool
	job     string
	changes settings // the job's changes
	is      settings
}

// oneJobAtATime models an instance as in SERVICE.md#jobs: it has one job at a time, whose
// changes take effect when the job is done, and never if it fails.
var oneJobAtATime = porcupine.Model{
	Init: func() any { return machine{} },
	Step: func(state, input, _ any) (bool, any) {
		m := state.(machine)
		switch o := input.(type) {
		case madeOp:
			return !m.there, machine{there: true, job: o.job, is: o.is}
		case acceptedOp:
			free := m.there && m.job == ""
			m.job, m.changes = o.job, o.changes
			return free, m
		case endedOp:
			running := m.job == o.job
			if o.done {
				m.is = m.is.with(m.changes)
			}
			m.job, m.changes = "", settings{}
			return running, m
		case editedOp:
			m.is = o.is
			return m.there, m
		case readOp:
			return m.there && m.job == o.job && m.is == o.is, m
		}
		return false, m
	},
	DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%T%+v", input, input) },
}

// remember adds the service's work for a request to the history of the instance.
func (w *world) remember(r *http.Request, at []string, body []byte, status int, answer []byte, arrived time.Time) {
	if at[0] != "instances" || status >= 300 {
		return
	}
	var told struct {
		instanceRecord
		Instances []instanceRecord
	}
	if json.Unmarshal(answer, &told) != nil {
		return
	}
	switch {
	case r.Method == http.MethodGet && len(at) == 1:
		for _, i := range told.Instances {
			w.add(i.ID, arrived, readOp{i.JobID, i.settings()})
		}
	case r.Method == http.MethodGet && len(at) == 2:
		w.add(told.ID, arrived, readOp{told.JobID, told.settings()})
	case r.Method == http.MethodPost && len(at) == 1:
		w.add(told.ID, arrived, madeOp{told.JobID, w.settingsOf(told.ID)})
	case r.Method == http.MethodDelete && len(at) == 2:
		if m := w.creationOf(at[1]); m.Status == fakeservice.StatusFailed && m.FinishedAt.After(arrived.Add(-time.Millisecond)) {
			// The deletion cancels a creation that waited for its checkout.
			w.add(at[1], arrived, endedOp{m.ID, false})
		}
		w.jobAccepted(at[1], told.JobID, settings{})
	case r.Method != http.MethodGet && told.JobID != "":
		w.jobAccepted(at[1], told.JobID, changesOf(r.Method, at, body))
	}
}

// instanceRecord is the part of a record that the history covers.
type instanceRecord struct {
	ID          string
	Name        string
	Tags        []string
	Allowlist   []string
	ConsoleMode string `json:"console_mode"`
	Engines     map[string]any
	JobID       string `json:"job_id"`
}

func (i instanceRecord) settings() settings {
	return settings{"=" + i.Name, list(i.Tags), list(i.Allowlist), "=" + i.ConsoleMode, list(sortedNames(i.Engines))}
}

// list renders a list whose order is irrelevant.
func list(of []string) string {
	sorted := slices.Sorted(slices.Values(of))
	return "=" + strings.Join(sorted, ",")
}

// changesOf returns the changes that a request asks for.
func changesOf(method string, at []string, body []byte) settings {
	var asked struct {
		Name      *string
		Tags      *[]string
		Allowlist *[]string
		Mode      *string
		Engines   map[string]any
	}
	if len(body) > 0 && json.Unmarshal(body, &asked) != nil {
		return settings{}
	}
	var s settings
	switch {
	case method == http.MethodPatch && len(at) == 2:
		if asked.Name != nil {
			s.name = "=" + *asked.Name
		}
		if asked.Tags != nil {
			s.tags = list(*asked.Tags)
		}
	case method == http.MethodPut && at[len(at)-1] == "allowlist" && asked.Allowlist != nil:
		s.allowlist = list(*asked.Allowlist)
	case method == http.MethodPut && asked.Mode != nil:
		s.console = "=" + *asked.Mode
	case method == http.MethodPut && at[len(at)-1] == "engines":
		s.engines = list(sortedNames(asked.Engines))
	}
	return s
}

// creationOf returns the job that created an instance.
func (w *world) creationOf(instance string) fakeservice.Job {
	for _, j := range w.fake.Jobs() {
		if j.InstanceID == instance && j.Operation == "create" {
			return j
		}
	}
	return fakeservice.Job{}
}

func (w *world) jobAccepted(instance, job string, changes settings) {
	w.add(instance, time.Now(), acceptedOp{job, changes})
}

// settingsOf returns an instance's current settings.
func (w *world) settingsOf(id string) settings {
	i, _ := w.fake.Instance(id)
	return settings{"=" + i.Name, list(i.Tags), list(i.Allowlist), "=" + i.ConsoleMode, list(engineNamesOf(i))}
}

// edited records that a person has changed an instance.
func (w *world) edited(id string) {
	if _, ok := w.fake.Instance(id); !ok {
		return
	}
	w.add(id, time.Now(), editedOp{w.settingsOf(id)})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touched[id] = time.Now()
}

func (w *world) add(instance string, at time.Time, input any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.history[instance] = append(w.history[instance], porcupine.Operation{Input: input, Call: at.UnixNano(), Return: now.UnixNano()})
}

// checkHistory checks the history of each instance, with the ends of its jobs, against the
// model.
func (w *world) checkHistory() {
	for _, j := range w.fake.Jobs() {
		if !j.FinishedAt.IsZero() && len(w.history[j.InstanceID]) > 0 && !w.hasEnded(j.InstanceID, j.ID) {
			// The service's times are whole milliseconds.
			w.history[j.InstanceID] = append(w.history[j.InstanceID], porcupine.Operation{
				Input: endedOp{j.ID, j.Status == fakeservice.StatusDone},
				Call:  j.CreatedAt.UnixNano(), Return: j.FinishedAt.Add(time.Millisecond).UnixNano(),
			})
		}
	}
	for _, id := range sortedNames(w.history) {
		if !porcupine.CheckOperations(oneJobAtATime, w.history[id]) {
			w.violate(oneAtATime, "the history of %s is not linearizable: %s", id, w.firstMisfit(id))
		}
		w.count(historyChecked)
	}
}

func (w *world) hasEnded(instance, job string) bool {
	return slices.ContainsFunc(w.history[instance], func(o porcupine.Operation) bool {
		ended, ok := o.Input.(endedOp)
		return ok && ended.job == job
	})
}

// firstMisfit describes the first operation that contradicts the model.
func (w *world) firstMisfit(id string) string {
	all := slices.SortedStableFunc(slices.Values(w.history[id]), func(a, b porcupine.Operation) int { return int(a.Return - b.Return) })
	for n := range all {
		if !porcupine.CheckOperations(oneJobAtATime, all[:n+1]) {
			return fmt.Sprintf("%s: %s", time.Unix(0, all[n].Return).Sub(w.begun), oneJobAtATime.DescribeOperation(all[n].Input, nil))
		}
	}
	return ""
}
