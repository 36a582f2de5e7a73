package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Options configures a Service.
type Options struct {
	// Speed is the speed of the fake's clock relative to real time. 0 means 1.
	Speed float64
	// Start is the initial time of the fake's clock. Zero means now.
	Start time.Time
	// Logger, if non-nil, receives a line for each job and build, without secrets.
	Logger *slog.Logger
	// Querier runs SQL. If it is nil, the data plane runs SQL, and without a data plane
	// every statement is refused as unavailable.
	Querier Querier
	// DataPlane, if non-nil, does the real work of jobs. Otherwise the Service only keeps
	// records. The Service closes it. Test methods such as EditInstance change only
	// records in any case, but AddInstance, RemoveInstance and Reset affect the
	// DataPlane.
	DataPlane DataPlane
	// Storage, if non-nil, keeps the records when the program ends. The Service closes
	// it. A fake continues with the records in its storage: its clock resumes at the
	// stored time, or at Start if that is later, and jobs in progress start again.
	Storage Storage
	// Courier, if non-nil, delivers events to the webhook endpoints.
	Courier Courier
}

// Service implements the hosting service: its records, rules, jobs, clock and events, as
// typed operations. It is safe for concurrent use.
type Service struct {
	log     *slog.Logger
	clock   *clock
	store   *store
	querier Querier
	plane   DataPlane
	once    sync.Once
	// snapshots is held while a snapshot is saved or loaded. A load changes the records
	// before the machines are there.
	snapshots sync.Mutex
}

// New is like Open for a Service without Storage. It panics on an error.
func New(o Options) *Service {
	s, err := Open(o)
	if err != nil {
		panic("core: " + err.Error())
	}
	return s
}

// Open makes a Service with the records in its storage, or with only the initial catalog
// if there are none.
func Open(o Options) (*Service, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case o.Querier != nil:
	case o.DataPlane != nil:
		o.Querier = o.DataPlane
	default:
		o.Querier = NoDataPlane(recordsOnly)
	}
	clock := newClock(o.Speed, o.Start)
	s := &Service{
		log:     o.Logger,
		clock:   clock,
		store:   newStore(clock, o.Logger, o.DataPlane, o.Courier),
		querier: o.Querier,
		plane:   o.DataPlane,
	}
	if s.plane != nil {
		s.plane.Attach(s)
	}
	if o.Storage == nil {
		return s, nil
	}
	if err := s.store.keepIn(o.Storage); err != nil {
		return nil, errors.Join(fmt.Errorf("read the kept records: %w", err), s.Close(), o.Storage.Close())
	}
	s.resume()
	return s, nil
}

// Close stops the timers and the work, and closes the data plane and the storage.
func (s *Service) Close() error {
	var err error
	s.once.Do(func() {
		err = s.store.close()
		if s.plane != nil {
			err = errors.Join(err, s.plane.Close())
		}
	})
	return err
}

// Unwritten returns the keys of records that have changed without being marked for
// storage, which is a bug in the fake. Without a storage it returns nil.
func (s *Service) Unwritten() []string {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.store.writer == nil {
		return nil
	}
	return s.store.writer.unwritten(&s.store.state.records)
}

// inspect returns the result of find on the records.
func inspect[T any](s *Service, find func(*state) T) (found T) {
	s.store.read(0, func(st *state) { found = find(st) })
	return found
}

// edit changes the records without a job and returns the result of change.
func edit[T any](s *Service, change func(*state) T) (result T) {
	s.store.do(func(st *state) { result = change(st) })
	return result
}

// Now returns the fake's time.
func (s *Service) Now() time.Time { return s.clock.now() }

// Speed returns the speed of the fake's clock relative to real time.
func (s *Service) Speed() float64 { return s.clock.speed }

// RealTime converts a time of the fake's clock to real time.
func (s *Service) RealTime(fake time.Time) time.Time { return s.clock.realTime(fake) }

// Advance moves the fake's clock forward. Before it returns, everything that is due by
// then happens in order, each at its own time. Advance waits for the real work of that.
func (s *Service) Advance(d time.Duration) {
	// A failed attempt determines when the delivery is due again, so the next step is
	// known only after the attempt. Without deliveries, one step is enough.
	for s.store.courier != nil && d > 0 {
		s.store.awaitDeliveries()
		step := s.store.untilDue(d)
		s.clock.advance(step)
		d -= step
	}
	s.clock.advance(d)
	s.store.await()
}

// CheckAdvance refuses to move the clock backwards, or beyond the last year whose times can
// be written as JSON.
func (s *Service) CheckAdvance(d time.Duration) error {
	if d < 0 {
		return invalid("by", "the clock does not run backwards")
	}
	if year := s.clock.now().Add(d).Year(); year > lastYear {
		return invalid("by", "the year %d is after %d", year, lastYear)
	}
	return nil
}

// SetDuration sets the duration of future jobs of an operation, by the fake's clock.
// "build" sets that of builds. Jobs in progress keep their duration.
func (s *Service) SetDuration(operation string, d time.Duration) {
	s.store.do(func(st *state) { st.Durations.set(operation, d) })
}

// Begin calls begin once for a service that is new or was reset, to set up its initial
// contents. If the program was killed during begin, the next Begin resets the service and
// starts over.
func (s *Service) Begin(begin func() error) error {
	started, begun := false, false
	s.store.read(0, func(st *state) { started, begun = len(st.Instances) > 0 || len(st.Webhooks) > 0, st.Begun })
	if begun {
		return nil
	}
	if started {
		s.Reset()
	}
	err := begin()
	s.store.do(func(st *state) { st.Begun = err == nil })
	return err
}

// Reset deletes all records, holds and past states. The clock keeps running. The account
// keeps its id, because its keys stay.
func (s *Service) Reset() {
	s.store.keepPast(func(h *history) { *h = history{} })
	s.replace(func(st *state) records {
		r := newRecords(st.Now)
		r.Account.ID = st.Account.ID
		return r
	})
}

// replace replaces the records and removes the machines of the previous ones.
func (s *Service) replace(by func(*state) records) {
	for _, id := range s.store.replace(by) {
		s.removeMachine(id)
	}
}

// removeMachine removes an instance from the data plane. Work in progress on it has been
// cancelled.
func (s *Service) removeMachine(instanceID string) {
	if s.plane == nil {
		return
	}
	if err := s.plane.Remove(s.store.life, instanceID); err != nil {
		s.log.Error("a machine could not be removed", "instance", instanceID, "error", err)
	}
}

// KeepPast keeps past states for at least d of real time, so that single reads can lag. A
// smaller d than before has no effect. Reset ends it.
func (s *Service) KeepPast(d time.Duration) {
	s.store.keepPast(func(h *history) { h.least = max(h.least, d) })
}

// SetLag makes all reads lag by d of real time, instead of by the previous duration.
func (s *Service) SetLag(d time.Duration) {
	s.store.keepPast(func(h *history) { h.lag = d })
}

// lagKey is the context key of a read's lag.
type lagKey struct{}

// Lagging makes reads with the context show the state of a past real time, like those of
// a replica, as far as past states are kept.
func Lagging(ctx context.Context, ago time.Duration) context.Context {
	return context.WithValue(ctx, lagKey{}, ago)
}
