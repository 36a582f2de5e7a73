package core

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// memory is a Storage in memory that can be made to fail. Its entries survive a kill of
// the program.
type memory struct {
	entries map[string][]byte
	broken  error
}

func newMemory() *memory { return &memory{entries: map[string][]byte{}} }

func (m *memory) Read() (map[string][]byte, error) { return maps.Clone(m.entries), nil }
func (m *memory) Close() error                     { return nil }
func (m *memory) Write(changes map[string][]byte) error {
	if m.broken != nil {
		return m.broken
	}
	for key, value := range changes {
		if value == nil {
			delete(m.entries, key)
			continue
		}
		m.entries[key] = bytes.Clone(value)
	}
	return nil
}

// unkept has the fields that are not stored, each with the reason.
var unkept = map[string]string{
	"state.log":            "it is no state",
	"state.plane":          "it keeps its own",
	"state.store":          "it is no state",
	"state.byID":           "it is made anew of instances",
	"state.jobsByID":       "it is made anew of jobs",
	"state.activeJobs":     "it is made anew of jobs",
	"state.background":     "they are done again, or are backups that nobody has been told of",
	"state.upcoming":       "it is made anew of what is due",
	"state.marks":          "they are what is yet to be written down",
	"state.resuming":       "it is over when a fake answers",
	"state.control":        "holds and failures are a test's, and end with it",
	"instance.verifying":   "the next verification finds the same",
	"instance.verifyAgain": "the next verification finds the same",
	"instance.backingUp":   "a backup that was being made has no record",
	"instance.change":      "it is made anew of the job",
	"job.spec":             "it is made anew of the kind",
	"job.work":             "work begins again",
	"buildRun.work":        "work begins again",
	"delivery.work":        "it is sent again",
	"state.outbox":         "it is made anew of deliveries",
}

// A new field of the state must be stored, or be listed above with a reason.
func TestEveryFieldIsKept(t *testing.T) {
	t.Parallel()
	for _, row := range jobTable {
		t.Run(kindName(row.kind), func(t *testing.T) {
			t.Parallel()
			var st state
			filler{skip: unkept, kind: reflect.TypeOf(row.kind).Elem()}.fill(reflect.ValueOf(&st).Elem(), "state")
			m := newMemory()
			none := newRecords(time.Now())
			w := must.Get(openWriter(m, &none))(t)
			w.noteAll(&st.records)
			must.Do(t, errors.Join(w.failed, m.Write(w.pending)))
			var read state
			must.Do(t, decodeEntries(m.entries, &read.records))
			if difference := cmp.Diff(&st, &read, cmp.Exporter(func(reflect.Type) bool { return true })); difference != "" {
				t.Errorf("the state read from storage differs (-written +read):\n%s", difference)
			}
			// Without changes, nothing is written again.
			before := w.last
			if w.noteAll(&st.records); w.last != before {
				t.Error("unchanged records were written again")
			}
		})
	}
}

// reopen starts a service with the entries that a killed program left.
func reopen(t *testing.T, m *memory, o Options) *Service {
	t.Helper()
	o.Storage = &memory{entries: maps.Clone(m.entries)}
	return open(t, o)
}

func open(t *testing.T, o Options) *Service {
	t.Helper()
	s := must.Get(Open(o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Everything that was answered survives a kill of the program, and work in progress
// resumes.
func TestKilledAndStartedAgain(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	made := must.Get(s.CreateInstance(NewInstance{Name: "shop", Plan: "free", Region: "eu-central",
		Engines: map[string]bool{"postgres": true, "apps": true}}, ""))(t)
	s.Advance(4 * time.Minute)

	again := reopen(t, m, Options{})
	if now, was := again.Now(), s.Now(); now.Before(was.Add(-time.Minute)) {
		t.Errorf("the time after a restart: got %s, want at most a minute before %s", now, was)
	}
	if job, err := again.Job(t.Context(), made.JobID); err != nil || job.Status != StatusRunning || job.Progress < 40 {
		t.Errorf("the job: got %+v and error %v, want %s with a progress of at least 40", job, err, StatusRunning)
	}
	again.Advance(5 * time.Minute)
	in, _ := again.Instance(made.ID)
	if in.Status != StatusRunning || len(again.Databases(made.ID)) != 1 || len(in.Backups) != 1 {
		t.Fatalf("the instance: got %+v, want %s with one database and one backup", in, StatusRunning)
	}
	must.Get(again.ImportApp(made.ID, NewApp{Repo: "octo/app", Name: "web", AppChange: AppChange{Branch: ptr("main"), Port: ptr(3000)}}))(t)
	again.Advance(2 * time.Minute) // the job is done, and the build is in progress
	connection := must.Get(again.Connection(t.Context(), made.ID))(t)

	events := len(again.Events())

	third := reopen(t, again.store.writer.storage.(*memory), Options{})
	third.Advance(5 * time.Minute)
	if a, _ := third.App(made.ID, "web"); a.Status != StatusRunning || len(a.Builds) != 1 || a.Builds[0].Status != StatusSuccessful {
		t.Errorf("the app: got %+v, want %s with one successful build", a, StatusRunning)
	}
	if kept, err := third.Connection(t.Context(), made.ID); err != nil || !cmp.Equal(kept, connection) {
		t.Errorf("the connection after a restart: got error %v; differences (-want +got):\n%s", err, cmp.Diff(connection, kept))
	}
	// The deployment has been verified.
	if now := len(third.Events()); now != events+1 {
		t.Errorf("events after a restart: got %d, want %d", now, events+1)
	}
}

// A kind of job that could not be read again is not stored.
func TestKindThatIsNotInTheTable(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	id := s.AddInstance(Instance{}).ID
	_, err := s.mutate(id, func(*state, *instance) (jobKind, error) { return brokenJob{}, nil })
	if ProblemOf(err).Code != Internal || !strings.Contains(err.Error(), "brokenJob") {
		t.Errorf("a job that cannot be stored: got error %v, want %s with the name brokenJob", err, Internal)
	}
}

// The first change that cannot be stored has an unknown outcome, and its work does not
// begin. Later ones are refused, and nothing of them is done. When the storage works again,
// nothing is missing.
func TestStorageThatFails(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	id := s.AddInstance(Instance{Name: "shop"}).ID
	s.store.do(func(*state) { m.broken = errors.New("the disk is full") })
	unwritten := (*Unwritten)(nil)
	if _, err := s.UpdateInstance(id, InstanceChange{Name: ptr("store")}); !errors.As(err, &unwritten) {
		t.Errorf("a change that cannot be stored: got error %v, want %T", err, unwritten)
	}
	if _, err := s.UpdateInstance(id, InstanceChange{Name: ptr("third")}); ProblemOf(err).Code != Unavailable {
		t.Errorf("a change while nothing can be stored: got error %v, want %s", err, Unavailable)
	}
	ran := false
	var e *workInProgress
	s.store.do(func(st *state) {
		e = st.store.launch(func(context.Context) error { ran = true; return nil }, nil)
	})
	if <-e.ended; ran {
		t.Error("work that is not stored has begun")
	}
	s.store.do(func(*state) { m.broken = nil })
	s.Advance(time.Hour)
	if in, _ := reopen(t, m, Options{}).Instance(id); in.Name != "store" {
		t.Errorf("the name of the instance: got %q, want store", in.Name)
	}
}

// A snapshot restores everything, and can be loaded into a different service.
func TestSnapshotAndRestore(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	own, password := s.FirstKey(""), s.Credential("portal_password", "")
	made := must.Get(s.CreateKey("laptop"))(t)
	id := s.AddInstance(Instance{Name: "shop", Engines: map[string]*Engine{EngineApps: {}}}).ID
	s.AddApp(id, App{Name: "web"})
	s.SetDuration("app_redeploy", time.Minute) // or a busy machine could restore it after its end
	accepted := must.Get(s.RedeployApp(id, "web"))(t)
	folder := filepath.Join(t.TempDir(), "snapshot")
	must.Do(t, s.SaveSnapshot(t.Context(), folder))
	// The snapshot is given to other people, so it must contain no credentials of this
	// fake.
	text := must.Get(os.ReadFile(filepath.Join(folder, snapshotRecords)))(t)
	for _, credential := range []string{own, password, base64.StdEncoding.EncodeToString(sumOf(made.Key))} {
		if bytes.Contains(text, []byte(credential)) {
			t.Errorf("the snapshot has %s", credential)
		}
	}
	then := s.Now()
	s.Advance(48 * time.Hour)
	if !s.RemoveInstance(id) {
		t.Fatal("RemoveInstance: got false, want true")
	}
	s.AddInstance(Instance{Name: "other"})

	other := New(Options{})
	defer other.Close()
	key := other.FirstKey("")
	for name, restored := range map[string]*Service{"the same": s, "another": other} {
		must.Do(t, restored.LoadSnapshot(t.Context(), folder))
		all := restored.Instances()
		if len(all) != 1 || all[0].Name != "shop" || all[0].JobID != accepted.JobID {
			t.Errorf("the instances in %s service: got %+v, want shop with the job %s", name, all, accepted.JobID)
		}
		if now := restored.Now(); now.Sub(then).Abs() > time.Hour {
			t.Errorf("the time in %s service: got %s, want %s or at most an hour from it", name, now, then)
		}
		restored.Advance(time.Hour)
		if a, _ := restored.App(id, "web"); len(a.Builds) != 1 || a.Builds[0].ID != *accepted.BuildID || a.Builds[0].Status != StatusSuccessful {
			t.Errorf("the app in %s service: got %+v, want the successful build %s", name, a, *accepted.BuildID)
		}
	}
	if kept := other.FirstKey(""); kept != key {
		t.Error("the key of another service came with the snapshot")
	}
	if err := s.LoadSnapshot(t.Context(), t.TempDir()); err == nil || len(s.Instances()) != 1 {
		t.Errorf("LoadSnapshot of an empty folder: got error %v and %d instances, want an error and one instance", err, len(s.Instances()))
	}
}

// A service without a data plane has no machines, so the instances of a snapshot get
// made-up hosts there. Otherwise the next start would miss their machines.
func TestSnapshotWithoutADataPlane(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	defer s.Close()
	id := s.AddInstance(Instance{Host: "127.0.0.2"}).ID
	folder := filepath.Join(t.TempDir(), "snapshot")
	must.Do(t, s.SaveSnapshot(t.Context(), folder))
	must.Do(t, s.LoadSnapshot(t.Context(), folder))
	if in, _ := s.Instance(id); !strings.HasSuffix(in.Host, madeUpDomain) {
		t.Errorf("the host after the restore: got %q, want one that ends with %s", in.Host, madeUpDomain)
	}
}

// fullPlane is a data plane that cannot load a machine.
type fullPlane struct{ brokenPlane }

func (fullPlane) CheckSaved(string) error { return nil }
func (fullPlane) Load(context.Context, string, string) error {
	return errors.New("no space left on device")
}

// An instance of a snapshot has failed until its machine is there.
func TestSnapshotThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	saved, s := New(Options{}), New(Options{DataPlane: fullPlane{}})
	defer saved.Close()
	defer s.Close()
	id := saved.AddInstance(Instance{}).ID
	folder := filepath.Join(t.TempDir(), "snapshot")
	must.Do(t, saved.SaveSnapshot(t.Context(), folder))
	if err := s.LoadSnapshot(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("LoadSnapshot: got %v, want the error of the data plane", err)
	}
	if in, _ := s.Instance(id); in.Status != StatusFailed || in.Host != "" {
		t.Errorf("the instance: got status %q and host %q, want %s and none", in.Status, in.Host, StatusFailed)
	}
}

// slowPlane is a data plane whose restore blocks until it is cancelled.
type slowPlane struct {
	brokenPlane
	restoring chan struct{}
	mu        sync.Mutex
	backups   map[string]int // the number of times that each was made
	dropped   []string
}

func (p *slowPlane) Apply(context.Context, string) error    { return nil }
func (p *slowPlane) Resume(context.Context, []string) error { return nil }
func (p *slowPlane) Restore(ctx context.Context, _, _ string) error {
	close(p.restoring)
	<-ctx.Done()
	return ctx.Err()
}
func (p *slowPlane) Endpoints(string) Endpoints { return Endpoints{Host: "127.0.0.1"} }

func (p *slowPlane) Backup(_ context.Context, _, id string) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backups[id]++
	return 1, nil
}

func (p *slowPlane) DropBackup(_ context.Context, _, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dropped = append(p.dropped, id)
	return nil
}

// A fake that ends in the middle of a restore keeps the undo snapshot. It starts the
// restore again with the same snapshot.
func TestRestoreThatIsCutOff(t *testing.T) {
	t.Parallel()
	m := newMemory()
	backups := map[string]int{}
	for range 2 {
		plane := &slowPlane{restoring: make(chan struct{}), backups: backups}
		s := open(t, Options{Storage: m, DataPlane: plane})
		if len(s.Instances()) == 0 {
			id := s.AddInstance(Instance{Backups: []Backup{{ID: "bak-1"}}}).ID
			must.Get(s.Restore(id, id, "bak-1"))(t)
		}
		<-plane.restoring
		must.Do(t, s.Close())
		if len(plane.dropped) > 0 {
			t.Errorf("dropped: got %v, want none", plane.dropped)
		}
	}
	if len(backups) != 1 {
		t.Errorf("the snapshots: got %v, want the same one twice", backups)
	}
}

// loadingPlane is a data plane that calls a function while it loads a machine.
type loadingPlane struct {
	slowPlane
	loading func()
}

func (p *loadingPlane) Save(context.Context, string, string) error { return nil }
func (p *loadingPlane) CheckSaved(string) error                    { return nil }
func (p *loadingPlane) Remove(context.Context, string) error       { return nil }
func (p *loadingPlane) Load(context.Context, string, string) error {
	p.loading()
	return nil
}

// No snapshot is saved while one is loaded, because its instances have failed until their
// machines are there.
func TestNoSnapshotDuringALoad(t *testing.T) {
	t.Parallel()
	plane := &loadingPlane{}
	s := open(t, Options{DataPlane: plane})
	s.AddInstance(Instance{Host: "127.0.0.1"})
	folder := t.TempDir()
	must.Do(t, s.SaveSnapshot(t.Context(), folder))
	loads := 0
	plane.loading = func() {
		loads++
		if s.snapshots.TryLock() {
			s.snapshots.Unlock()
			t.Error("during a load: got a lock for another snapshot, want none")
		}
	}
	if err := s.LoadSnapshot(t.Context(), folder); err != nil || loads != 1 {
		t.Errorf("LoadSnapshot: got %d loads and error %v, want one load", loads, err)
	}
}

// A fake with a data plane makes the machines of records that were stored without one.
func TestRecordsBecomeReal(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	id := s.AddInstance(Instance{}).ID
	plane := &emptyPlane{applied: map[string]bool{}}
	again := reopen(t, m, Options{DataPlane: plane})
	if in, _ := again.Instance(id); in.Host != "127.0.0.1" || in.Status != StatusRunning || !plane.applied[id] {
		t.Errorf("got the instance %+v and its machine made: %t, want it %s at 127.0.0.1 and true", in, plane.applied[id], StatusRunning)
	}
}

// emptyPlane is a data plane without data from earlier programs.
type emptyPlane struct {
	brokenPlane
	mu      sync.Mutex
	applied map[string]bool
}

func (p *emptyPlane) Resume(context.Context, []string) error { return nil }

func (p *emptyPlane) Apply(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.applied[id] = true
	return nil
}

func (p *emptyPlane) Endpoints(id string) Endpoints {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.applied[id] {
		return Endpoints{}
	}
	return Endpoints{Host: "127.0.0.1"}
}

func ptr[T any](value T) *T { return &value }
