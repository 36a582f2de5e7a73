package core

import (
	"context"
	"time"
)

// change runs an operation, alone and at the present time. What it returns shares
// nothing with the state.
func change[T any](s *Service, operation func(*state) (T, error)) (result T, err error) {
	failed := s.store.change(func(st *state) { result, err = operation(st) })
	s.store.logIfFailed(failed)
	if err == nil && failed != nil {
		return result, Refuse(Internal, "it was done, and could not be written down: %s", failed)
	}
	return result, err
}

// look runs an operation that changes nothing. It may be shown a moment that is past.
func look[T any](ctx context.Context, s *Service, operation func(*state) (T, error)) (result T, err error) {
	ago, _ := ctx.Value(lagKey{}).(time.Duration)
	failed := s.store.look(ago, func(st *state) { result, err = operation(st) })
	s.store.logIfFailed(failed)
	if err == nil && failed != nil {
		return result, Refuse(Internal, "what there is could not be written down: %s", failed)
	}
	return result, err
}

// lookAt is look at one instance.
func lookAt[T any](ctx context.Context, s *Service, id string, operation func(*state, *instance) (T, error)) (T, error) {
	return look(ctx, s, func(st *state) (T, error) {
		in, err := st.lookup(id)
		if err != nil {
			var none T
			return none, err
		}
		return operation(st, in)
	})
}

// Accepted is the answer to every mutation of an instance: the job that was queued.
type Accepted struct {
	JobID string `json:"job_id"`
}

// mutate changes an instance by a job. plan says what the job does, or why it is
// refused; it runs only while the instance may be changed.
func (s *Service) mutate(id string, plan func(*state, *instance) (jobKind, error)) (Accepted, error) {
	return change(s, func(st *state) (Accepted, error) {
		in, err := st.changeable(id)
		if err != nil {
			return Accepted{}, err
		}
		return st.begin(in, plan)
	})
}

// begin starts the job that plan gives.
func (st *state) begin(in *instance, plan func(*state, *instance) (jobKind, error)) (Accepted, error) {
	kind, err := plan(st, in)
	if err != nil {
		return Accepted{}, err
	}
	j, err := st.startJob(in, kind)
	if err != nil {
		return Accepted{}, err
	}
	return Accepted{JobID: j.ID}, nil
}
