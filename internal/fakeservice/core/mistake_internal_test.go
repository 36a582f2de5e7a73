package core

import (
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// brokenJob panics when it ends.
type brokenJob struct{}

func (brokenJob) spec(*state, *instance) jobSpec {
	return jobSpec{operation: "update", apply: func() { panic("a mistake") }}
}

// A panic while a job ends fails that job, frees its instance and changes nothing else.
// It does not matter which operation caused the job to end.
func TestPanicWhileAJobEnds(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	id, other := s.AddInstance(Instance{}).ID, s.AddInstance(Instance{}).ID
	accepted := must.Get(s.mutate(id, func(*state, *instance) (jobKind, error) { return brokenJob{}, nil }))(t)
	beside := must.Get(s.StartJob(other, "rotate", ""))(t)
	s.Advance(time.Hour)
	for job, want := range map[string]string{accepted.JobID: StatusFailed, beside.ID: StatusDone} {
		record, err := s.Job(t.Context(), job)
		if err != nil || record.Status != want {
			t.Errorf("the job %s: got %+v and error %v, want status %s", job, record, err, want)
		}
		if want == StatusFailed && (record.Error == nil || record.Error.Code != "internal") {
			t.Errorf("the error of the failed job: got %+v, want code internal", record.Error)
		}
	}
	if _, err := s.Rotate(id); err != nil {
		t.Errorf("the instance takes no job any more: %s", err)
	}
}

// A panic at the end of a build or during daily work does not stop later ones.
func TestPanicInABuildAndInTheCalendar(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	id := s.AddInstance(Instance{Engines: map[string]*Engine{EngineApps: {}}}).ID
	s.AddApp(id, App{Name: "web"})
	s.store.do(func(st *state) {
		in := st.find(id)
		in.app("web").Builds = []Build{{ID: "bld-1", Status: StatusRunning}}
		st.control.buildFails = append(st.control.buildFails, nil) // the end of the build reads it
		st.Builds = append(st.Builds, &buildRun{InstanceID: id, App: "web", ID: "bld-1", Due: st.Now.Add(time.Minute)})
		in.NextBackup, in.Snapshots = st.Now.Add(time.Minute), nil
		st.planChores()
	})
	s.Advance(time.Hour)
	if left := s.Left()["builds"]; left != 0 {
		t.Errorf("builds in progress: got %d, want 0", left)
	}
	if web, _ := s.App(id, "web"); web.Builds[0].Error != mistake {
		t.Errorf("the build: got %+v, want the error %q", web.Builds[0], mistake)
	}
	if in, _ := s.Instance(id); len(in.Backups) != 1 {
		t.Errorf("backups: got %d, want 1", len(in.Backups))
	}
}

// brokenPlane is a data plane with few methods. A call of any other method panics.
type brokenPlane struct{ DataPlane }

func (brokenPlane) Attach(ControlPlane)        {}
func (brokenPlane) Close() error               { return nil }
func (brokenPlane) Endpoints(string) Endpoints { return Endpoints{} }

// Work that panics fails its job.
func TestPanicInWork(t *testing.T) {
	t.Parallel()
	s := New(Options{DataPlane: brokenPlane{}})
	defer s.Close()
	id := s.AddInstance(Instance{Status: "creating"}).ID
	s.EditInstance(id, func(in *Instance) { in.Status = StatusRunning })
	accepted := must.Get(s.Rotate(id))(t)
	s.Advance(time.Hour)
	if record, err := s.Job(t.Context(), accepted.JobID); err != nil || record.Status != StatusFailed {
		t.Errorf("the job: got %+v and error %v, want status %s", record, err, StatusFailed)
	}
}
