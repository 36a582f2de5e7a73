package core

import (
	"slices"
	"time"
)

// history is the state as it was, for reads that lag behind writes as those of a
// replica do. The store's lock guards it.
type history struct {
	// lag is what all reads lag by; least is what is kept whatever they do.
	lag, least time.Duration
	moments    []moment // in order
}

// moment is the state after a change, until the next one.
type moment struct {
	real, fake time.Time // when it began
	state      *state
}

// span is how far back the state is kept, in real time; 0 is not at all.
func (h *history) span() time.Duration { return max(h.lag, h.least) }

// keep adds the state as it is now, and lets go of what is too old to be asked
// for.
func (h *history) keep(st *state) {
	span, now := h.span(), time.Now()
	if span == 0 {
		h.moments = nil
		return
	}
	h.moments = append(h.moments, moment{now, st.Now, st.forReading()})
	// The last moment before the span is what there was when it began.
	first := 0
	for first+1 < len(h.moments) && !h.moments[first+1].real.After(now.Add(-span)) {
		first++
	}
	h.moments = slices.Delete(h.moments, 0, first)
}

// at is the state at a real time, as far back as it is kept, or else the present
// one. Between two moments nothing happens, but the fake's clock goes on.
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

// forReading is a copy of what reads show. It shares nothing that changes with
// the state, and lacks what only mutations, jobs and tests look at.
func (st *state) forReading() *state {
	past := &state{
		log: st.log, plane: st.plane,
		records: records{
			Now: st.Now, Sequence: st.Sequence,
			Catalog: st.Catalog.clone(), Account: st.Account,
			Charges: slices.Clone(st.Charges), // which never change
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
		// The rest of a job is what it does, and is not done here.
		copied := &job{Job: j.Job, Length: j.Length}
		past.Jobs = append(past.Jobs, copied)
		past.jobsByID[copied.ID] = copied
	}
	return past
}

func (in *instance) forReading() *instance {
	past := &instance{
		Instance: in.clone(), Sequence: in.Sequence, Secrets: in.Secrets, JobCount: in.JobCount, change: in.change,
		Databases: slices.Clone(in.Databases), Extensions: slices.Clone(in.Extensions),
	}
	for _, a := range in.Apps {
		past.Apps = append(past.Apps, &app{App: a.clone(), Deployed: a.Deployed})
	}
	return past
}
