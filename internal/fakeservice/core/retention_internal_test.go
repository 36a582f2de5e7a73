package core

import (
	"strconv"
	"testing"
	"time"
)

// The numbers of jobs and events are limited, and a job in progress is never removed.
func TestJobsAndEventsAreBounded(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	held, busy := s.AddInstance(Instance{}).ID, s.AddInstance(Instance{}).ID
	waiting, err := s.StartJob(held, "rotate", "")
	if err != nil {
		t.Fatal(err)
	}
	s.HoldJobs(JobMatch{InstanceID: held})
	var last Job
	for range 2 * recordsKept {
		if last, err = s.StartJob(busy, "rotate", ""); err != nil {
			t.Fatal(err)
		}
		if err := s.FinishJob(last.ID); err != nil {
			t.Fatal(err)
		}
	}
	const most = recordsKept + recordsKept/8
	if jobs, events := len(s.Jobs()), len(s.Events()); jobs > most || jobs < recordsKept || events > most || events < recordsKept {
		t.Errorf("%d jobs and %d events are kept", jobs, events)
	}
	for what, id := range map[string]string{"one in progress": waiting.ID, "the newest": last.ID} {
		if record, err := s.Job(t.Context(), id); err != nil || record.ID != id {
			t.Errorf("%s is not kept: %v", what, err)
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
		t.Errorf("%d subscriptions are kept, the active one being %v", n, st.subscription("0"))
	}
	if s.Advance(time.Hour); len(s.store.state.jobsByID) != len(s.store.state.Jobs) {
		t.Errorf("%d jobs are known by id, and %d are kept", len(s.store.state.jobsByID), len(s.store.state.Jobs))
	}
}
