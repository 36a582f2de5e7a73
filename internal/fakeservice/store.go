package fakeservice

import (
	"log/slog"
	"sync"
	"time"
)

// store guards the state. Whoever looks at the state or changes it does so
// inside do, which first lets everything happen that was due by then. A timer
// does the same while nobody looks, so that events go out on time.
type store struct {
	clock *clock

	mu     sync.Mutex
	state  *state
	timer  *time.Timer
	closed bool
}

func newStore(clock *clock, log *slog.Logger) *store {
	return &store{clock: clock, state: newState(clock.now(), log)}
}

// do runs fn with the state, alone and at the present time. fn must hand out
// copies only.
func (s *store) do(fn func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.settle(s.clock.now())
	fn(s.state)
	// What fn has set going may be due at once.
	s.state.settle(s.clock.now())
	s.arm()
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

// close stops the timer. The state stays readable.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// reset forgets everything.
func (s *store) reset(log *slog.Logger) {
	s.do(func(st *state) { *st = *newState(st.now, log) })
}

// state is everything that the fake knows. Only the store's lock makes it safe
// to touch.
type state struct {
	log *slog.Logger
	// now is the fake's time. While what is due is being settled, it is the
	// moment at which that was due, so that records show when things really
	// happened and not when somebody looked.
	now time.Time

	catalog   Catalog
	account   account
	instances []*instance // in order of creation
	webhooks  []*Webhook
	events    []Event
	billing   billing

	jobs         []*job // all of them, in order of creation
	activeJobs   []*job
	activeBuilds []*buildRun
	durations    durations
	control      controls
	pushes       map[string]int // commits per repository and branch
	answers      map[string]remembered

	sequence  int
	nextChore time.Time
}

func newState(now time.Time, log *slog.Logger) *state {
	return &state{
		log:       log,
		now:       now,
		catalog:   seedCatalog(),
		account:   seedAccount(),
		durations: defaultDurations(),
		pushes:    map[string]int{},
		answers:   map[string]remembered{},
	}
}

// due is something that ends or happens at a time.
type due struct {
	at     time.Time
	happen func()
}

// settle lets everything happen that is due by a time, in order.
func (st *state) settle(until time.Time) {
	for {
		next, any := st.nextDue()
		if !any || next.at.After(until) {
			break
		}
		if next.at.After(st.now) {
			st.now = next.at
		}
		next.happen()
	}
	if until.After(st.now) {
		st.now = until
	}
}

// nextDue is the earliest thing that will happen by itself. What is held is
// not among it.
func (st *state) nextDue() (due, bool) {
	var next due
	found := false
	consider := func(at time.Time, happen func()) {
		if !found || at.Before(next.at) {
			next, found = due{at, happen}, true
		}
	}
	for _, j := range st.activeJobs {
		if !j.due.IsZero() && !st.control.holdsJob(j.Job) {
			consider(j.due, func() { st.endJob(j) })
		}
	}
	for _, b := range st.activeBuilds {
		if !b.due.IsZero() && !st.control.holdsBuild(b) {
			consider(b.due, func() { st.endBuild(b) })
		}
	}
	if !st.nextChore.IsZero() {
		consider(st.nextChore, st.doChores)
	}
	return next, found
}
