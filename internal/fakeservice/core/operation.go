package core

import (
	"context"
	"time"
)

// change runs an operation with exclusive access to the current state. The result shares
// no memory with the state.
func change[T any](s *Service, operation func(*state) (T, error)) (result T, err error) {
	failed := s.store.change(func(st *state) { result, err = operation(st) })
	s.store.logIfFailed(failed)
	if err == nil {
		err = failed
	}
	return result, err
}

// look runs an operation that only reads. It may see the state of an earlier moment. It
// waits until that state is stored, but a storage that takes nothing does not stop it.
func look[T any](ctx context.Context, s *Service, operation func(*state) (T, error)) (result T, err error) {
	ago, _ := ctx.Value(lagKey{}).(time.Duration)
	s.store.read(ago, func(st *state) { result, err = operation(st) })
	return result, err
}

// lookAt is look for one instance.
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

// Accepted is the answer to every mutation of an instance. It contains the id of the
// queued job.
type Accepted struct {
	JobID string `json:"job_id"`
}

// mutate changes an instance by a job. plan returns the kind of the job, or the reason to
// refuse it. plan is called only if the instance may be changed.
func (s *Service) mutate(id string, plan func(*state, *instance) (jobKind, error)) (Accepted, error) {
	return change(s, func(st *state) (Accepted, error) {
		in, err := st.changeable(id)
		if err != nil {
			return Accepted{}, err
		}
		return st.begin(in, plan)
	})
}

// begin starts the job that plan returns.
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
