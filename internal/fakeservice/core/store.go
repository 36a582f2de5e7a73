package core

import (
	"context"
	"errors"
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
	log   *slog.Logger
	// courier is nil where events are not delivered.
	courier Courier

	// life ends when the store closes, and with it the work of jobs. end ends
	// it, and errands counts what has yet to return.
	life    context.Context
	end     context.CancelFunc
	errands sync.WaitGroup

	mu    sync.Mutex
	state *state
	past  history
	// writer is nil where nothing is kept.
	writer *writer
	timer  *time.Timer
	closed bool
}

func newStore(clock *clock, log *slog.Logger, plane DataPlane, courier Courier) *store {
	s := &store{clock: clock, log: log, courier: courier}
	s.life, s.end = context.WithCancel(context.Background())
	s.state = newState(clock.now(), log, plane, s)
	return s
}

// do is change for those who cannot say that it is not written down.
func (s *store) do(fn func(*state)) { s.logIfFailed(s.change(fn)) }

// read is look for those who cannot say that it is not written down.
func (s *store) read(ago time.Duration, fn func(*state)) { s.logIfFailed(s.look(ago, fn)) }

func (s *store) logIfFailed(err error) {
	if err != nil {
		s.log.Error("the records could not be written down", "error", err)
	}
}

// change runs fn with the state, alone and at the present time. fn must hand out
// copies only. What it has changed is written down when change returns, or else the
// error says why not.
func (s *store) change(fn func(*state)) error {
	w, last := s.changeState(fn)
	return s.commit(w, last)
}

func (s *store) changeState(fn func(*state)) (*writer, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.settle(s.clock.now())
	fn(s.state)
	s.state.upcoming = nil
	// What fn has set going may be due at once.
	s.state.settle(s.clock.now())
	s.past.keep(s.state)
	s.note()
	s.arm()
	return s.noted()
}

// look is change for what changes nothing. It may be given the state as it was some
// real time ago, as far as the past is kept.
func (s *store) look(ago time.Duration, fn func(*state)) error {
	w, last := s.lookAtState(ago, fn)
	return s.commit(w, last)
}

func (s *store) lookAtState(ago time.Duration, fn func(*state)) (*writer, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.settle(s.clock.now()) {
		s.past.keep(s.state)
		s.note()
	}
	shown := s.state
	if ago > 0 {
		shown = s.past.at(time.Now().Add(-ago), s.clock.speed, s.state)
	}
	defer s.state.unmarked()()
	fn(shown)
	s.arm()
	return s.noted()
}

// note makes entries of what has changed, where the records are kept. The lock is held.
func (s *store) note() {
	if s.writer != nil {
		s.writer.note(&s.state.records, s.state.marks)
	}
}

// noted is where the records are kept, and the number of the last change that is noted.
// The lock is held.
func (s *store) noted() (*writer, uint64) {
	if s.writer == nil {
		return nil, 0
	}
	return s.writer, s.writer.last
}

// keepIn reads the records out of a storage and writes them there from now on. It
// comes before anything else.
func (s *store) keepIn(storage Storage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, err := openWriter(storage, &s.state.records)
	if err != nil {
		return err
	}
	s.writer = w
	s.state.marks = map[string]mark{}
	s.clock.startFrom(s.state.Now)
	s.state.index()
	s.state.specifyJobs()
	s.state.resuming = true
	return nil
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
	if !any || s.closed || s.state.resuming {
		return
	}
	// The clock counts whole milliseconds, so a timer may fire a moment early
	// and is then set again; it never spins.
	wait := max(s.clock.until(due.at), 100*time.Microsecond)
	s.timer = time.AfterFunc(wait, func() { s.do(func(*state) {}) })
}

// untilDue is how long it is by the fake's clock until something is due, and most at most.
func (s *store) untilDue(most time.Duration) time.Duration {
	step := most
	s.do(func(st *state) {
		if next, any := st.nextDue(); any && !st.resuming {
			step = min(most, max(next.at.Sub(s.clock.now()), time.Millisecond))
		}
	})
	return step
}

// close stops the timer, and returns when no work is under way any more. What was
// under way goes on when a fake is started with the records. The state stays readable.
func (s *store) close() error {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.end()
	s.errands.Wait()
	s.mu.Lock()
	if s.writer == nil {
		s.mu.Unlock()
		return nil
	}
	s.writer.now = time.Time{} // the time of the end is written in any case
	s.note()
	w, last := s.noted()
	s.mu.Unlock()
	// A storage that is closed refuses what is changed from now on.
	return errors.Join(s.commit(w, last), w.close())
}

// replace puts other records in the place of those that there are, and gives the ids of
// the instances that there were. Their work is told to stop; what of it goes on,
// unlocked, keeps the state that it was begun in, which nobody sees any more. The
// credentials of the fake itself stay.
func (s *store) replace(by func(*state) records) (forgotten []string) {
	s.do(func(st *state) {
		for _, j := range st.activeJobs {
			j.abandon()
		}
		for _, d := range st.outbox {
			d.abandon()
		}
		for _, in := range st.Instances {
			for _, a := range in.Apps {
				st.dropBuilds(in, a)
			}
			forgotten = append(forgotten, in.ID)
		}
		r := by(st)
		r.Credentials, r.Keys, r.KeysMade = st.Credentials, st.Keys, st.KeysMade
		s.past = history{lag: s.past.lag, least: s.past.least}
		s.clock.set(r.Now)
		// Jobs that come with the records have to begin their work before they end.
		resuming := st.plane != nil && len(r.Jobs) > 0
		s.state = &state{log: st.log, plane: st.plane, store: s, records: r, resuming: resuming}
		s.state.index()
		s.state.specifyJobs()
		if s.writer != nil {
			s.state.marks = map[string]mark{}
			s.writer.noteAll(&s.state.records)
		}
	})
	return forgotten
}

// state is everything that the fake knows. Only the store's lock makes it safe
// to touch.
type state struct {
	records
	log *slog.Logger
	// plane is nil where there are records alone. store runs real work.
	plane DataPlane
	store *store

	// What follows is found out of the records.
	byID       map[string]*instance
	jobsByID   map[string]*job
	activeJobs []*job
	outbox     []*delivery // those that are pending

	chores  []*errand
	control controls
	// resuming keeps what is due from happening, until what was at work has begun
	// again.
	resuming bool
	// marks are what has become of entries since they were written down, by key. The map is
	// nil where nothing is kept, and while the state is only looked at.
	marks map[string]mark
	// upcoming is what nextDue has found, until something is changed. Most requests
	// read, so they look at no more jobs than their own.
	upcoming *upcoming
}

func newState(now time.Time, log *slog.Logger, plane DataPlane, store *store) *state {
	st := &state{log: log, plane: plane, store: store, records: newRecords(now)}
	st.index()
	return st
}

// index finds what the records hold.
func (st *state) index() {
	st.byID, st.jobsByID, st.activeJobs, st.outbox = map[string]*instance{}, map[string]*job{}, nil, nil
	for _, d := range st.Deliveries {
		if d.State == DeliveryPending {
			st.outbox = append(st.outbox, d)
		}
	}
	for _, in := range st.Instances {
		st.byID[in.ID] = in
	}
	for _, j := range st.Jobs {
		st.jobsByID[j.ID] = j
		if j.InProgress() {
			st.activeJobs = append(st.activeJobs, j)
		}
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
	if st.resuming {
		return false
	}
	for {
		next, any := st.nextDue()
		if !any || next.at.After(until) {
			break
		}
		happened = true
		if next.at.After(st.Now) {
			st.Now = next.at
		}
		st.safely(next)
		st.upcoming = nil
	}
	if until.After(st.Now) {
		st.Now = until
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
		if !j.Due.IsZero() && !j.working() && !st.holds(j) && (firstJob == nil || j.Due.Before(firstJob.Due)) {
			firstJob = j
		}
	}
	if j := firstJob; j != nil {
		consider(j.Due, func() { st.endJob(j) }, func() { st.giveUpJob(j) })
	}
	for _, b := range st.Builds {
		if !b.Due.IsZero() && !b.working() && !st.control.holdsBuild(b) {
			consider(b.Due, func() { st.endBuild(b) }, func() { st.giveUpBuild(b) })
		}
	}
	if d := st.nextDelivery(); d != nil && st.store.courier != nil {
		consider(d.Due, func() { st.attempt(d) }, func() { st.endDelivery(d, DeliveryGivenUp) })
	}
	if !st.NextChore.IsZero() {
		consider(st.NextChore, st.doChores, func() { st.NextChore = st.Now.Add(backupEvery) })
	}
	return next, found
}
