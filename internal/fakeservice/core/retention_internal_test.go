package core

import (
	"strconv"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The numbers of jobs and events are limited, and a job in progress is never removed.
func TestJobsAndEventsAreBounded(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	held, busy := s.AddInstance(Instance{}).ID, s.AddInstance(Instance{}).ID
	waiting := must.Get(s.StartJob(held, "rotate", ""))(t)
	s.HoldJobs(JobMatch{InstanceID: held})
	var last Job
	for range 2 * recordsKept {
		last = must.Get(s.StartJob(busy, "rotate", ""))(t)
		must.Do(t, s.FinishJob(last.ID))
	}
	const most = recordsKept + recordsKept/8
	if jobs, events := len(s.Jobs()), len(s.Events()); jobs > most || jobs < recordsKept || events > most || events < recordsKept {
		t.Errorf("got %d jobs and %d events, want %d to %d of each", jobs, events, recordsKept, most)
	}
	for what, id := range map[string]string{"one in progress": waiting.ID, "the newest": last.ID} {
		if record, err := s.Job(t.Context(), id); err != nil || record.ID != id {
			t.Errorf("the job %s: got id %q and error %v, want id %s", what, record.ID, err, id)
		}
	}
	var st state
	for n := range 2 * recordsKept {
		id := strconv.Itoa(n)
		st.subscribe(id, Plan{}, false)
		if n > 0 {
			st.cancelSubscription(id)
		}
	}
	if n := len(st.Subscriptions); n > most || n < recordsKept || st.subscription("0") == nil {
		t.Errorf("got %d subscriptions and %v as the active one, want %d to %d and one that is active", n, st.subscription("0"), recordsKept, most)
	}
	if s.Advance(time.Hour); len(s.store.state.jobsByID) != len(s.store.state.Jobs) {
		t.Errorf("jobs known by id: got %d, want %d", len(s.store.state.jobsByID), len(s.store.state.Jobs))
	}
}
