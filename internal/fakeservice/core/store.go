package core

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// store guards the state. Whoever looks at the state or changes it does so
// inside do, which first lets everything happen that was due by then. A timer
// does the same while nobody looks, so that events go out on time.
type store struct {
	clock *clock

	// life ends when the store closes, and with it the work of jobs. end ends
	// it, and errands counts what has yet to return.
	life    context.Context
	end     context.CancelFunc
	errands sync.WaitGroup

	mu     sync.Mutex
	state  *state
	past   history
	timer  *time.Timer
	closed bool
}

func newStore(clock *clock, log *slog.Logger, plane DataPlane) *store {
	s := &store{clock: clock}
	s.life, s.end = context.WithCancel(context.Background())
	s.state = newState(clock.now(), log, plane, s)
	return s
}

// do runs fn with the state, alone and at the present time. fn must hand out
// copies only.
func (s *store) do(fn func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.settle(s.clock.now())
	fn(s.state)
	s.state.upcoming = nil
	// What fn has set going may be due at once.
	s.state.settle(s.clock.now())
	s.past.keep(s.state)
	s.arm()
}

// read is do for what changes nothing. It may be given the state as it was some
// real time ago, as far as the past is kept.
func (s *store) read(ago time.Duration, fn func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.settle(s.clock.now()) {
		s.past.keep(s.state)
	}
	shown := s.state
	if ago > 0 {
		shown = s.past.at(time.Now().Add(-ago), s.clock.speed, s.state)
	}
	fn(shown)
	s.arm()
}

// keepPast changes how far back the state is kept.
func (s *store) keepPast(change func(*history)) {
	s.do(func(*state) { change(&s.past) })
}

// arm sets the timer for what is due next. The lock is held.
func (s *store) arm() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	due, any := s.state.nextDue()
	if !any || s.closed {
		return
	}
	// The clock counts whole milliseconds, so a timer may fire a moment early
	// and is then set again; it never spins.
	wait := max(s.clock.until(due.at), 100*time.Microsecond)
	s.timer = time.AfterFunc(wait, func() { s.do(func(*state) {}) })
}

// close stops the timer, and returns when no work is under way any more. The
// state stays readable.
func (s *store) close() {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.end()
	s.errands.Wait()
}

// reset forgets everything and gives the ids of the instances that there were.
// Their work is told to stop. What of it goes on, unlocked, keeps the state that it
// was begun in, which nobody sees any more.
func (s *store) reset() (forgotten []string) {
	s.do(func(st *state) {
		for _, j := range st.activeJobs {
			j.abandon()
		}
		for _, in := range st.instances {
			for _, a := range in.apps {
				st.dropBuilds(a)
			}
			forgotten = append(forgotten, in.ID)
		}
		s.state = newState(st.now, st.log, st.plane, s)
	})
	return forgotten
}

// state is everything that the fake knows. Only the store's lock makes it safe
// to touch.
type state struct {
	log *slog.Logger
	// plane is nil where there are records alone. store runs real work.
	plane DataPlane
	store *store
	// now is the fake's time. While what is due is being settled, it is the
	// moment at which that was due, so that records show when things really
	// happened and not when somebody looked.
	now time.Time

	catalog   Catalog
	account   Account
	instances []*instance // in order of creation
	byID      map[string]*instance
	webhooks  []*Webhook
	events    []Event
	mails     []Mail
	billing   billing

	jobs         []*job // in order of creation; of those that have ended, the newest
	jobsByID     map[string]*job
	activeJobs   []*job
	activeBuilds []*buildRun
	chores       []*errand
	durations    durations
	control      controls
	pushes       map[string]int // commits per repository and branch

	sequence  int
	nextChore time.Time
	// upcoming is what nextDue has found, until something is changed. Most requests
	// read, so they look at no more jobs than their own.
	upcoming *upcoming
}

func newState(now time.Time, log *slog.Logger, plane DataPlane, store *store) *state {
	return &state{
		log:       log,
		plane:     plane,
		store:     store,
		now:       now,
		catalog:   seedCatalog(),
		account:   seedAccount(),
		durations: defaultDurations(),
		pushes:    map[string]int{},
		byID:      map[string]*instance{},
		jobsByID:  map[string]*job{},
	}
}

// due is something that ends or happens at a time.
type due struct {
	at     time.Time
	happen func()
	// giveUp is what becomes of it when a mistake of the fake's own keeps it from
	// happening: it must not be due again and again.
	giveUp func()
}

// mistake is what jobs say that a panic has ended.
const mistake = "a mistake in the fake service, which its log has"

// safely lets something happen. A panic ends that alone, and not the program, in which
// there is more than one instance.
func (st *state) safely(d due) {
	defer func() {
		if p := recover(); p != nil {
			st.log.Error("a mistake in the fake service", "panic", p, "stack", string(debug.Stack()))
			d.giveUp()
		}
	}()
	d.happen()
}

// settle lets everything happen that is due by a time, in order, and tells
// whether there was anything.
func (st *state) settle(until time.Time) (happened bool) {
	for {
		next, any := st.nextDue()
		if !any || next.at.After(until) {
			break
		}
		happened = true
		if next.at.After(st.now) {
			st.now = next.at
		}
		st.safely(next)
		st.upcoming = nil
	}
	if until.After(st.now) {
		st.now = until
	}
	return happened
}

// upcoming is what is due next, if anything is.
type upcoming struct {
	due due
	any bool
}

// nextDue is the earliest thing that will happen by itself. What is held is
// not among it.
func (st *state) nextDue() (due, bool) {
	if st.upcoming == nil {
		next, any := st.findNextDue()
		st.upcoming = &upcoming{next, any}
	}
	return st.upcoming.due, st.upcoming.any
}

func (st *state) findNextDue() (next due, found bool) {
	consider := func(at time.Time, happen, giveUp func()) {
		if !found || at.Before(next.at) {
			next, found = due{at, happen, giveUp}, true
		}
	}
	var firstJob *job
	for _, j := range st.activeJobs {
		if !j.due.IsZero() && !j.working() && !st.holds(j) && (firstJob == nil || j.due.Before(firstJob.due)) {
			firstJob = j
		}
	}
	if j := firstJob; j != nil {
		consider(j.due, func() { st.endJob(j) }, func() { st.giveUpJob(j) })
	}
	for _, b := range st.activeBuilds {
		if !b.due.IsZero() && !b.working() && !st.control.holdsBuild(b) {
			consider(b.due, func() { st.endBuild(b) }, func() { st.giveUpBuild(b) })
		}
	}
	if !st.nextChore.IsZero() {
		consider(st.nextChore, st.doChores, func() { st.nextChore = st.now.Add(backupEvery) })
	}
	return next, found
}
