package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// work is the real work of a job. It runs while the store is unlocked. It begins with the
// job, and its context ends when the job or the fake ends.
type work func(ctx context.Context, t task) error

// task has the machine of a job's work and the work's access to the records.
type task struct {
	plane      DataPlane
	instanceID string
	// rollBack reverts the job's changes of the desired machine.
	rollBack func()
	// note changes the job's kind, and returns when the change is stored.
	note func(func())
}

// backUp saves the machine under a backup's id, and records the size.
func (t task) backUp(ctx context.Context, b *Backup) error {
	size, err := t.plane.Backup(ctx, t.instanceID, b.ID)
	if err == nil {
		t.note(func() { b.SizeBytes = size })
	}
	return err
}

// workInProgress is real work of a job, a build, a delivery or the service itself.
type workInProgress struct {
	cancel context.CancelFunc
	// ended is closed once the state has the result.
	ended chan struct{}
	// returned and err belong to the state: they are set while the store is locked.
	returned bool
	err      error
}

// errClosed is the error of work that a closing fake no longer starts.
var errClosed = errors.New("the fake service is closing")

// launch runs a function while the store is unlocked, and then passes the result to then,
// which runs within a change of the state. The caller must hold the lock.
func (s *store) launch(run func(context.Context) error, then func(error)) *workInProgress {
	ctx, cancel := context.WithCancel(s.life)
	w := &workInProgress{cancel: cancel, ended: make(chan struct{})}
	if s.closed {
		cancel()
		w.returned, w.err = true, errClosed
		close(w.ended)
		return w
	}
	s.running.Go(func() {
		defer close(w.ended)
		defer cancel()
		err := s.written()
		if err == nil {
			err = attempt(ctx, run)
		}
		if s.life.Err() != nil {
			return // a fake that is started with the records does it again
		}
		s.do(func(st *state) {
			w.returned, w.err = true, err
			if then != nil {
				st.safely(due{happen: func() { then(err) }, giveUp: func() {}})
			}
		})
	})
	return w
}

// written waits until the change that started the work is stored. If it cannot be stored,
// the work must not begin, because it would be unknown after the end of the program.
func (s *store) written() error {
	s.mu.Lock()
	w, last := s.noted()
	s.mu.Unlock()
	return s.commit(w, last)
}

// attempt calls run and returns a panic as an error.
func attempt(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", mistake, p)
		}
	}()
	return run(ctx)
}

// await waits until no work that is due by the fake's clock is in progress. It does not
// wait for jobs that are held.
func (s *store) await() {
	for {
		var late []*workInProgress
		s.do(func(st *state) { late = st.lateWork() })
		if len(late) == 0 {
			return
		}
		for _, w := range late {
			<-w.ended
		}
	}
}

// awaitDeliveries waits until no delivery is due or in progress.
func (s *store) awaitDeliveries() {
	for {
		var underWay []*workInProgress
		s.do(func(st *state) { underWay = st.attemptsUnderWay() })
		if len(underWay) == 0 {
			return
		}
		for _, w := range underWay {
			<-w.ended
		}
	}
}

// lateWork returns the background work, the deliveries, and the work of jobs and builds
// that are due.
func (st *state) lateWork() []*workInProgress {
	late := append(slices.Clone(st.background), st.attemptsUnderWay()...)
	for _, j := range st.activeJobs {
		if j.working() && !j.Due.After(st.Now) && !st.holds(j) {
			late = append(late, j.work)
		}
	}
	for _, b := range st.Builds {
		if b.working() && !b.Due.After(st.Now) && !st.control.holdsBuild(b) {
			late = append(late, b.work)
		}
	}
	return late
}

// runInBackground runs real work that does not belong to a job.
func (st *state) runInBackground(run func(context.Context) error, then func(error)) {
	var w *workInProgress
	w = st.store.launch(run, func(err error) {
		st.background = slices.DeleteFunc(st.background, func(other *workInProgress) bool { return other == w })
		if then != nil {
			then(err)
		}
	})
	if !w.returned {
		st.background = append(st.background, w)
	}
}

// beginWork begins the work of a job: from now on, the desired machine includes the job's
// changes. If a test makes the job fail, its real work does not begin, so that nothing of
// it is applied.
func (st *state) beginWork(j *job) {
	in := st.find(j.InstanceID)
	if in == nil {
		return
	}
	real := st.plane != nil && j.spec.work != nil
	if real {
		if code, detail, fails := st.control.failsJob(j.Job); fails {
			j.Failure = &Failure{code, detail}
			st.touch(j)
			return
		}
	}
	in.change = j.spec.change
	if j.spec.begin != nil {
		j.spec.begin()
	}
	if !real {
		return
	}
	t := task{
		plane: st.plane, instanceID: in.ID,
		rollBack: func() { st.store.do(func(*state) { in.rollBack(j) }) },
		note: func(change func()) {
			st.store.do(func(*state) {
				change()
				st.touch(j)
			})
		},
	}
	j.work = st.store.launch(func(ctx context.Context) error { return j.spec.work(ctx, t) }, func(error) {
		// The job must not end before its work.
		if j.Due.Before(st.Now) {
			j.Due = st.Now
			st.touch(j)
		}
	})
}

// working reports whether the job's real work is in progress.
func (j *job) working() bool { return j.work != nil && !j.work.returned }

// workFailure returns the reason that the job's work failed, or nil.
func (j *job) workFailure() *Failure {
	if j.work == nil || j.work.err == nil {
		return nil
	}
	if f := (*Failure)(nil); errors.As(j.work.err, &f) {
		return f
	}
	return &Failure{Code: "internal", Detail: j.work.err.Error()}
}

// puttingBack is the time limit for undoing failed work.
const puttingBack = time.Minute

// applyChange is the work of a job that changes the desired machine. If the work fails
// midway, applyChange restores the previous machine.
func applyChange(ctx context.Context, t task) error {
	err := t.plane.Apply(ctx, t.instanceID)
	if err == nil || ctx.Err() != nil {
		return err
	}
	t.rollBack()
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), puttingBack)
	defer cancel()
	return errors.Join(err, t.plane.Apply(back, t.instanceID))
}

// rollBack reverts a job's changes of the desired machine while the job is in progress.
func (in *instance) rollBack(j *job) {
	if in.JobID == j.ID {
		in.change = nil
	}
}
