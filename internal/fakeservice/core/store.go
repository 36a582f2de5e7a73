package core

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// store guards the state. All access to the state is within change or look, which first
// end everything that is due by then. When there are no requests, a timer does the same,
// so that events are emitted on time.
type store struct {
	clock *clock
	log   *slog.Logger
	// courier is nil if events are not delivered.
	courier Courier

	// life is the context of all work. end cancels it when the store closes, and running
	// counts the work that has not returned.
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex
	state *state
	past  history
	// writer is nil if the records are not stored. failing reports whether its last write
	// failed.
	writer  *writer
	failing atomic.Bool
	timer   *time.Timer
	closed  bool
}

func newStore(clock *clock, log *slog.Logger, plane DataPlane, courier Courier) *store {
	s := &store{clock: clock, log: log, courier: courier}
	s.life, s.end = context.WithCancel(context.Background())
	s.state = newState(clock.now(), log, plane, s)
	return s
}

// do is make for callers without an error result. It logs a failure to store.
func (s *store) do(fn func(*state)) { s.logIfFailed(s.make(fn)) }

// read is look for callers without an error result. It logs a failure to store.
func (s *store) read(ago time.Duration, fn func(*state)) { s.logIfFailed(s.look(ago, fn)) }

func (s *store) logIfFailed(err error) {
	if err != nil {
		s.log.Error("the records could not be written down", "error", err)
	}
}

// change is make for a change that may be refused: nothing is done while the storage takes
// nothing.
func (s *store) change(fn func(*state)) error {
	if s.failing.Load() {
		if err := s.written(); err != nil {
			return unavailable("nothing was done, because the fake service cannot write its records: %s", err)
		}
	}
	if err := s.make(fn); err != nil {
		return &Unwritten{err}
	}
	return nil
}

// make runs fn with exclusive access to the current state. fn must return only copies.
// When make returns, the changes are stored; otherwise the error is the reason.
func (s *store) make(fn func(*state)) error {
	w, last := s.changeState(fn)
	return s.commit(w, last)
}

func (s *store) changeState(fn func(*state)) (*writer, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.settle(s.clock.now())
	fn(s.state)
	s.state.upcoming = nil
	// fn may have started something that is due already.
	s.state.settle(s.clock.now())
	s.past.keep(s.state)
	s.note()
	s.arm()
	return s.noted()
}

// look is change for a function that only reads. It may see the state of a past real
// time, as far as past states are kept.
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

// note passes the changes to the writer, if there is one. The caller must hold the lock.
func (s *store) note() {
	if s.writer != nil {
		s.writer.note(&s.state.records, s.state.marks)
	}
}

// noted returns the writer, which may be nil, and the number of its last change. The
// caller must hold the lock.
func (s *store) noted() (*writer, uint64) {
	if s.writer == nil {
		return nil, 0
	}
	return s.writer, s.writer.last
}

// keepIn reads the records from a storage and stores all later changes there. It must be
// called before anything else.
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

// keepPast changes how far back past states are kept.
func (s *store) keepPast(change func(*history)) {
	s.do(func(*state) { change(&s.past) })
}

// arm sets the timer for the next due event. The caller must hold the lock.
func (s *store) arm() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	due, any := s.state.nextDue()
	if !any || s.closed || s.state.resuming {
		return
	}
	// The clock counts whole milliseconds, so the timer may fire slightly early and is
	// then set again. The minimum keeps it from spinning.
	wait := max(s.clock.until(due.at), 100*time.Microsecond)
	s.timer = time.AfterFunc(wait, func() { s.do(func(*state) {}) })
}

// untilDue returns the time by the fake's clock until something is due, limited to most.
func (s *store) untilDue(most time.Duration) time.Duration {
	step := most
	s.do(func(st *state) {
		if next, any := st.nextDue(); any && !st.resuming {
			step = min(most, max(next.at.Sub(s.clock.now()), time.Millisecond))
		}
	})
	return step
}

// close stops the timer and cancels all work. It returns when the work has returned. A
// fake that is started with the records resumes the work. The state stays readable.
func (s *store) close() error {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.end()
	s.running.Wait()
	s.mu.Lock()
	if s.writer == nil {
		s.mu.Unlock()
		return nil
	}
	s.writer.now = time.Time{} // the time of the end is written in any case
	s.note()
	w, last := s.noted()
	s.mu.Unlock()
	// Changes after this point are refused, because the storage is closed.
	return errors.Join(s.commit(w, last), w.close())
}

// replace replaces the records and returns the ids of the previous instances. It cancels
// their work. Work that still runs keeps its old state, which is no longer used. The
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
		r.Clients, r.Grants = st.Clients, st.Grants
		s.past = history{lag: s.past.lag, least: s.past.least}
		s.clock.set(r.Now)
		// Jobs in the new records must begin their work before they end.
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

// state is the whole state of the fake. The store's lock guards it.
type state struct {
	records
	log *slog.Logger
	// plane is nil if there are only records. store runs real work.
	plane DataPlane
	store *store

	// The following fields are derived from the records.
	byID       map[string]*instance
	jobsByID   map[string]*job
	activeJobs []*job
	outbox     []*delivery // the pending ones

	background []*workInProgress
	control    controls
	// resuming delays everything that is due until the interrupted work has started
	// again.
	resuming bool
	// marks has the changes of entries since they were last stored, by key. It is nil if
	// the records are not stored, and during reads.
	marks map[string]mark
	// upcoming caches the result of nextDue until the next change. Most requests only
	// read, so they need not look at all jobs.
	upcoming *upcoming
}

func newState(now time.Time, log *slog.Logger, plane DataPlane, store *store) *state {
	st := &state{log: log, plane: plane, store: store, records: newRecords(now)}
	st.index()
	return st
}

// index derives the indexes from the records.
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

// due is an event that happens by itself at a time.
type due struct {
	at     time.Time
	happen func()
	// giveUp is called if happen panics, so that the event is not due again and again.
	giveUp func()
}

// mistake is the error of jobs, builds and other work that a panic has ended.
const mistake = "a mistake in the fake service, which its log has"

// safely runs an event. A panic ends only that event and not the program, which may serve
// other instances.
func (st *state) safely(d due) {
	defer func() {
		if p := recover(); p != nil {
			st.log.Error("a mistake in the fake service", "panic", p, "stack", string(debug.Stack()))
			d.giveUp()
		}
	}()
	d.happen()
}

// settle runs all events that are due by a time, in order. It reports whether there were
// any.
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

// upcoming is the next due event, if any.
type upcoming struct {
	due due
	any bool
}

// nextDue returns the next event that happens by itself. Held jobs and builds are not
// considered.
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
