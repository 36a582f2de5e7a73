package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Options says how a Service runs.
type Options struct {
	// Speed is how many times faster than real the fake's clock runs; 0 means 1.
	Speed float64
	// Start is when the fake's clock begins; zero is now.
	Start time.Time
	// Logger gets a line for each job and build, without secrets; nil discards
	// them.
	Logger *slog.Logger
	// Querier runs SQL; nil leaves that to the data plane, and without one refuses
	// every statement as unavailable.
	Querier Querier
	// DataPlane makes real what jobs do; nil keeps records alone. The Service
	// closes it. What a test does behind the client's back, such as EditInstance,
	// changes records alone in any case; AddInstance, RemoveInstance and Reset are
	// for real.
	DataPlane DataPlane
	// Storage keeps the records when the program ends; nil keeps nothing. The Service
	// closes it. A fake whose storage holds records goes on with them: its clock is
	// where it was, or at Start if that is later, and jobs in progress begin again.
	Storage Storage
	// Courier takes events to the webhook endpoints; nil delivers none.
	Courier Courier
}

// Service is what the hosting service is: its records, rules, jobs, clock and events,
// as typed operations. It is safe for concurrent use.
type Service struct {
	log     *slog.Logger
	clock   *clock
	store   *store
	querier Querier
	plane   DataPlane
	once    sync.Once
}

// New is Open for a Service that keeps nothing, of which no opening can fail.
func New(o Options) *Service {
	s, err := Open(o)
	if err != nil {
		panic("core: " + err.Error())
	}
	return s
}

// Open makes a Service with what its storage holds, or with a seeded catalogue and
// nothing else in it.
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

// Close stops the timers and the data plane.
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

// Unwritten are the keys of the records that have changed without being noted as something
// to write down, which is a mistake of the fake's own. There are none where nothing is kept.
func (s *Service) Unwritten() []string {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.store.writer == nil {
		return nil
	}
	return s.store.writer.unwritten(&s.store.state.records)
}

// Now is the fake's time.
func (s *Service) Now() time.Time { return s.clock.now() }

// Speed is how many times faster than real the fake's clock runs.
func (s *Service) Speed() float64 { return s.clock.speed }

// RealTime is the real time of a moment of the fake's.
func (s *Service) RealTime(fake time.Time) time.Time { return s.clock.realTime(fake) }

// Advance moves the fake's clock forward. What is due by then happens, in
// order and at its own time, before Advance returns; where that takes real
// work, Advance waits for it.
func (s *Service) Advance(d time.Duration) {
	// A delivery is tried again some time after its attempt has failed, so what is due
	// after it is known once it has returned. Without deliveries one step is enough.
	for s.store.courier != nil && d > 0 {
		s.store.awaitDeliveries()
		step := s.store.untilDue(d)
		s.clock.advance(step)
		d -= step
	}
	s.clock.advance(d)
	s.store.await()
}

// SetDuration says how long a job of an operation takes from now on, by the
// fake's clock; "build" stands for builds. Jobs in progress keep their time.
func (s *Service) SetDuration(operation string, d time.Duration) {
	s.store.do(func(st *state) { st.Durations.set(operation, d) })
}

// Begin lets a service begin that is new or was reset: by what begin does, once. One
// that was killed meanwhile begins anew.
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

// Reset forgets everything: records, holds, and the past. The clock goes on. The account's
// id stays, because its keys do.
func (s *Service) Reset() {
	s.store.keepPast(func(h *history) { *h = history{} })
	s.replace(func(st *state) records {
		r := newRecords(st.Now)
		r.Account.ID = st.Account.ID
		return r
	})
}

// replace puts other records in the place of those that there are, whose machines go.
func (s *Service) replace(by func(*state) records) {
	for _, id := range s.store.replace(by) {
		s.removeMachine(id)
	}
}

// removeMachine takes the real part of an instance away. A job that was at work
// on it has been told to stop.
func (s *Service) removeMachine(instanceID string) {
	if s.plane == nil {
		return
	}
	if err := s.plane.Remove(s.store.life, instanceID); err != nil {
		s.log.Error("a machine could not be removed", "instance", instanceID, "error", err)
	}
}

// KeepPast keeps the state of that long, by the real clock, from now on, so that
// single reads can lag. It never keeps less than before; Reset keeps nothing
// again.
func (s *Service) KeepPast(d time.Duration) {
	s.store.keepPast(func(h *history) { h.least = max(h.least, d) })
}

// SetLag keeps the state of that long for reads that all lag, in place of what
// was kept for them before.
func (s *Service) SetLag(d time.Duration) {
	s.store.keepPast(func(h *history) { h.lag = d })
}

// lagKey is the context key of how far a read lags.
type lagKey struct{}

// Lagging makes the reads of a context show the records as they were some real time
// ago, as far as the past is kept: a replica answers so.
func Lagging(ctx context.Context, ago time.Duration) context.Context {
	return context.WithValue(ctx, lagKey{}, ago)
}
