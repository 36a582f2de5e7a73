package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// slowStorage is a Storage whose writes wait until the test lets them proceed.
type slowStorage struct {
	memory
	begun, proceed chan struct{}
	batches        []map[string][]byte
}

func (s *slowStorage) Write(changes map[string][]byte) error {
	s.begun <- struct{}{}
	<-s.proceed
	s.batches = append(s.batches, maps.Clone(changes))
	return s.memory.Write(changes)
}

// Changes during a write wait and are then written together. A read returns only after
// the state that it shows is stored.
func TestChangesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	storage := &slowStorage{memory: *newMemory(), begun: make(chan struct{}), proceed: make(chan struct{})}
	through := func() { <-storage.begun; storage.proceed <- struct{}{} }
	go through() // the initial records
	s := open(t, Options{Storage: storage})

	var changes sync.WaitGroup
	changes.Go(func() { s.AddInstance(Instance{Name: "first"}) })
	<-storage.begun
	const more = 10
	for n := range more {
		changes.Go(func() { s.AddInstance(Instance{Name: fmt.Sprint("more-", n)}) })
	}
	shown := make(chan int)
	for changed := 0; changed < 1+more; runtime.Gosched() { // until all of them wait
		s.store.mu.Lock()
		changed = len(s.store.state.Instances)
		s.store.mu.Unlock()
	}
	go func() { shown <- len(s.Instances()) }()
	select {
	case n := <-shown:
		t.Errorf("before the write ended: got %d instances, want no answer", n)
	case storage.proceed <- struct{}{}:
	}
	through()
	changes.Wait()
	if n := <-shown; n != 1+more {
		t.Errorf("instances after the write: got %d, want %d", n, 1+more)
	}
	if len(storage.batches) != 3 {
		t.Errorf("writes: got %d, want 3: the initial state, the first change and the other changes", len(storage.batches))
	}
	go through() // the time of the end
	must.Report(t, s.Close())
}

// Changes after Close are not stored and are answered with an error.
func TestChangesAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Storage: newMemory()})
	id := s.AddInstance(Instance{Name: "shop"}).ID
	must.Do(t, s.Close())
	if _, err := s.UpdateInstance(id, InstanceChange{Name: ptr("store")}); !errors.Is(err, errClosed) {
		t.Errorf("a change after Close: got error %v, want %v", err, errClosed)
	}
	if _, err := s.CreateKey("laptop"); !errors.Is(err, errClosed) {
		t.Errorf("a key made after Close: got error %v, want %v", err, errClosed)
	}
}

// Every change of a record is stored. Each row changes a record that was stored before,
// in a different way.
func TestWhateverChangesIsWrittenDown(t *testing.T) {
	t.Parallel()
	apps := map[string]*Engine{EngineApps: {MemoryMB: 512}, EnginePostgres: {MemoryMB: 256}}
	held := func(t *testing.T, s *Service) (id string, release func()) {
		id = s.AddInstance(Instance{Engines: apps}).ID
		s.AddApp(id, App{Name: "web"})
		release = s.HoldJobs(JobMatch{InstanceID: id})
		must.Get(s.StartJob(id, "rotate", ""))(t)
		return id, release
	}
	for name, change := range map[string]func(*testing.T, *Service){
		"a month": func(_ *testing.T, s *Service) {
			s.AddInstance(Instance{Plan: "medium"})
			s.store.do(func(st *state) {
				st.subscription(st.Instances[0].ID).RenewsAt = st.Now.AddDate(0, 1, 0)
				st.planChores()
			})
			s.Advance(40 * 24 * time.Hour)
		},
		"a day": func(_ *testing.T, s *Service) {
			id := s.AddInstance(Instance{}).ID
			s.store.do(func(st *state) { st.find(id).NextBackup = st.Now.Add(time.Hour); st.planChores() })
			s.Advance(2 * time.Hour)
		},
		"a build behind another": func(t *testing.T, s *Service) {
			id := s.AddInstance(Instance{Engines: apps}).ID
			s.AddApp(id, App{Name: "web"})
			for range 2 {
				must.Get(s.RedeployApp(id, "web"))(t)
				advance(t, s, 40*time.Second) // the job is over, and the build is not
			}
			advance(t, s, 5*time.Minute)
		},
		"a portal that moves": func(t *testing.T, s *Service) {
			must.Get(s.CreateInstance(NewInstance{Name: "shop", Plan: "medium", Region: "eu-central"}, "http://one"))(t)
			s.MoveCheckouts("http://two")
		},
		"a hold of a job": func(t *testing.T, s *Service) {
			_, release := held(t, s)
			s.HoldJobs(JobMatch{})
			release()
		},
		"a hold of builds": func(t *testing.T, s *Service) {
			id := s.AddInstance(Instance{Engines: apps}).ID
			s.AddApp(id, App{Name: "web"})
			release := s.HoldBuilds(BuildMatch{})
			s.HoldBuilds(BuildMatch{})
			must.Get(s.RedeployApp(id, "web"))(t)
			s.Advance(31 * time.Second)
			release()
		},
		"a database that is dropped": func(_ *testing.T, s *Service) {
			id := s.AddInstance(Instance{}).ID
			s.AddDatabase(id, "shop")
			s.RemoveDatabase(id, "shop")
		},
		"a job that waits for its checkout": func(t *testing.T, s *Service) {
			made := must.Get(s.CreateInstance(NewInstance{Name: "shop", Plan: "medium", Region: "eu-central"}, "http://one"))(t)
			must.Do(t, s.PayCheckout(made.ID))
		},
		"a job that ends": func(t *testing.T, s *Service) {
			_, release := held(t, s)
			release()
		},
		"an instance that is removed": func(t *testing.T, s *Service) {
			id, _ := held(t, s)
			s.RemoveInstance(id)
		},
		"a mail": func(_ *testing.T, s *Service) { s.SendMail(Mail{To: "ada@example.com"}) },
		"a push": func(_ *testing.T, s *Service) { s.Push("octo/app", "main") },
		"a reset": func(_ *testing.T, s *Service) {
			s.AddInstance(Instance{})
			s.Reset()
			s.AddInstance(Instance{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, Options{Storage: newMemory()})
			change(t, s)
			mustBeNoted(t, s)
		})
	}
}

// Changes by real work are stored too: those of the job's note, and the end of the work.
func TestWhatRealWorkChangesIsWrittenDown(t *testing.T) {
	t.Parallel()
	plane := &workingPlane{emptyPlane{applied: map[string]bool{}}}
	failing := &receiver{answer: func(context.Context, Delivery) Outcome { return Outcome{Status: 503} }}
	s := open(t, Options{Storage: newMemory(), DataPlane: plane, Courier: failing})
	endpoint := s.AddWebhook(Webhook{URL: "https://hooks.test/one", Enabled: true}).ID
	made := must.Get(s.CreateInstance(NewInstance{Name: "shop", Plan: "free", Region: "eu-central",
		Engines: map[string]bool{"postgres": true, "apps": true}}, ""))(t)
	advance(t, s, 10*time.Minute)
	must.Get(s.ImportApp(made.ID, NewApp{Repo: "octo/app", Name: "web", AppChange: AppChange{Branch: ptr("main"), Port: ptr(3000)}}))(t)
	advance(t, s, 10*time.Minute)
	if a, _ := s.App(made.ID, "web"); a.Status != StatusFailed || len(a.Builds) != 1 || a.Builds[0].Status != StatusSuccessful {
		t.Errorf("the app: got %+v, want %s with one successful build", a, StatusFailed)
	}
	s.EditWebhook(endpoint, func(w *Webhook) { w.Enabled = false })
	advance(t, s, 10*time.Minute) // the endpoint's pending deliveries are given up
	s.RemoveWebhook(endpoint)
	mustBeNoted(t, s)
}

// advance moves the clock in small steps, and checks after each that all changes are
// noted.
func advance(t *testing.T, s *Service, by time.Duration) {
	t.Helper()
	for range by / time.Second {
		s.Advance(time.Second)
		mustBeNoted(t, s)
	}
}

func mustBeNoted(t *testing.T, s *Service) {
	t.Helper()
	if keys := s.Unwritten(); len(keys) > 0 {
		t.Fatalf("changed entries that would not be written: got %v, want none", keys)
	}
}

// workingPlane is a data plane that builds apps but cannot run them.
type workingPlane struct{ emptyPlane }

func (*workingPlane) Backup(context.Context, string, string) (int64, error) { return 42, nil }
func (*workingPlane) Build(context.Context, string, App, string) (string, error) {
	return "c0ffee", nil
}
func (*workingPlane) Deploy(context.Context, string, string, string) error {
	return errors.New("no app runs here")
}

// Work that ends after its record was removed does not restore the record.
func TestWhatIsGoneStaysGone(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	id := s.AddInstance(Instance{}).ID
	var in *instance
	s.store.do(func(st *state) { in = st.find(id) })
	before := maps.Clone(m.entries)
	s.store.do(func(st *state) { st.drop(in); st.touch(in) })
	s.store.do(func(st *state) { st.touch(in) })
	if _, there := m.entries[in.key()]; there || cmp.Equal(before, m.entries) {
		t.Error("an entry of the removed instance is stored, or its removal changed no entry")
	}
}
