package core

import (
	"slices"
	"time"
)

// history is the past of the state, for reads that lag behind writes like those of a
// replica. The store's lock guards it.
type history struct {
	// lag is the delay of all reads. least is the minimum time for which states are kept.
	lag, least time.Duration
	moments    []stateVersion // in order
}

// moment is the state after a change, until the next one.
type stateVersion struct {
	real, fake time.Time // when the moment began
	state      *state
}

// span returns how far back states are kept, in real time. 0 means that none are kept.
func (h *history) span() time.Duration { return max(h.lag, h.least) }

// keep adds the current state and removes states that are too old to be read.
func (h *history) keep(st *state) {
	span, now := h.span(), time.Now()
	if span == 0 {
		h.moments = nil
		return
	}
	h.moments = append(h.moments, stateVersion{now, st.Now, st.forReading()})
	// The last moment before the span is the state at the beginning of the span.
	first := 0
	for first+1 < len(h.moments) && !h.moments[first+1].real.After(now.Add(-span)) {
		first++
	}
	h.moments = slices.Delete(h.moments, 0, first)
}

// at returns the state at a real time, or the oldest state that is kept. Without a
// history it returns present. Between two moments only the fake's clock changes.
func (h *history) at(real time.Time, speed float64, present *state) *state {
	if len(h.moments) == 0 {
		return present
	}
	found := h.moments[0]
	for _, m := range h.moments[1:] {
		if m.real.After(real) {
			break
		}
		found = m
	}
	found.state.Now = found.fake
	if passed := real.Sub(found.real); passed > 0 {
		found.state.Now = found.fake.Add(time.Duration(float64(passed) * speed)).Truncate(time.Millisecond)
	}
	return found.state
}

// forReading returns a copy of the state for reads. It shares no changeable memory with
// the state, and lacks the fields that only mutations, jobs and tests use.
func (st *state) forReading() *state {
	past := &state{
		log: st.log, plane: st.plane,
		records: records{
			Now: st.Now, Sequence: st.Sequence,
			Catalog: st.Catalog.clone(), Account: st.Account,
			Charges: slices.Clone(st.Charges), // they never change
		},
		byID: map[string]*instance{}, jobsByID: map[string]*job{},
	}
	for _, in := range st.Instances {
		copied := in.forReading()
		past.Instances = append(past.Instances, copied)
		past.byID[copied.ID] = copied
	}
	for _, w := range st.Webhooks {
		copied := *w
		past.Webhooks = append(past.Webhooks, &copied)
	}
	for _, s := range st.Subscriptions {
		copied := *s
		past.Subscriptions = append(past.Subscriptions, &copied)
	}
	for _, j := range st.Jobs {
		// Reads do not need the rest of a job.
		copied := &job{Job: j.Job, Length: j.Length}
		past.Jobs = append(past.Jobs, copied)
		past.jobsByID[copied.ID] = copied
	}
	return past
}

func (in *instance) forReading() *instance {
	past := &instance{
		Instance: copyOfInstance(in.Instance), Sequence: in.Sequence, Secrets: in.Secrets, JobCount: in.JobCount, change: in.change,
		Findings:  slices.Clone(in.Findings),
		Databases: slices.Clone(in.Databases), Extensions: slices.Clone(in.Extensions),
	}
	for _, a := range in.Apps {
		past.Apps = append(past.Apps, &app{App: copyOfApp(a.App), Deployed: a.Deployed})
	}
	return past
}
