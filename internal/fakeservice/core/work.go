package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// work is what a job does for real. It runs while the store is unlocked, from the
// beginning of the job on, until its context ends because the job or the fake does.
type work func(ctx context.Context, t task) error

// task is where work is done.
type task struct {
	plane      DataPlane
	instanceID string
	// rollBack takes back what the job makes of the machine.
	rollBack func()
	// note lets the work change what its job's kind holds, and returns when that is
	// written down.
	note func(func())
}

// backUp saves the machine under a backup's id, and notes its size.
func (t task) backUp(ctx context.Context, b *Backup) error {
	size, err := t.plane.Backup(ctx, t.instanceID, b.ID)
	if err == nil {
		t.note(func() { b.SizeBytes = size })
	}
	return err
}

// errand is real work in progress.
type errand struct {
	cancel context.CancelFunc
	// ended is closed once the state knows how it went.
	ended chan struct{}
	// returned and err are the state's: they are set while the store is locked.
	returned bool
	err      error
}

// errClosed ends work that a closing fake does not begin any more.
var errClosed = errors.New("the fake service is closing")

// launch runs something while the store is unlocked, and then tells the state.
// The lock is held. What then does happens in the state's own order, like a
// request.
func (s *store) launch(run func(context.Context) error, then func(error)) *errand {
	ctx, cancel := context.WithCancel(s.life)
	e := &errand{cancel: cancel, ended: make(chan struct{})}
	if s.closed {
		cancel()
		e.returned, e.err = true, errClosed
		close(e.ended)
		return e
	}
	s.errands.Go(func() {
		defer close(e.ended)
		defer cancel()
		err := s.written()
		if err == nil {
			err = attempt(ctx, run)
		}
		if s.life.Err() != nil {
			return // a fake that is started with the records does it again
		}
		s.do(func(st *state) {
			e.returned, e.err = true, err
			if then != nil {
				st.safely(due{happen: func() { then(err) }, giveUp: func() {}})
			}
		})
	})
	return e
}

// written waits until what has set work going is written down. Work of which nobody
// would know after the end of the program does not begin.
func (s *store) written() error {
	s.mu.Lock()
	w, last := s.noted()
	s.mu.Unlock()
	return s.commit(w, last)
}

// attempt runs something whose panic is its failure.
func attempt(ctx context.Context, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", mistake, p)
		}
	}()
	return run(ctx)
}

// await waits until nothing is under way that the clock has already passed. A
// job that is held is not waited for.
func (s *store) await() {
	for {
		var late []*errand
		s.do(func(st *state) { late = st.lateErrands() })
		if len(late) == 0 {
			return
		}
		for _, e := range late {
			<-e.ended
		}
	}
}

// awaitDeliveries waits until no delivery is due or under way.
func (s *store) awaitDeliveries() {
	for {
		var underWay []*errand
		s.do(func(st *state) { underWay = st.attemptsUnderWay() })
		if len(underWay) == 0 {
			return
		}
		for _, e := range underWay {
			<-e.ended
		}
	}
}

// lateErrands are chores, deliveries, and the work of jobs whose time has come.
func (st *state) lateErrands() []*errand {
	late := append(slices.Clone(st.chores), st.attemptsUnderWay()...)
	for _, j := range st.activeJobs {
		if j.working() && !j.Due.After(st.Now) && !st.holds(j) {
			late = append(late, j.errand)
		}
	}
	for _, b := range st.Builds {
		if b.working() && !b.Due.After(st.Now) && !st.control.holdsBuild(b) {
			late = append(late, b.errand)
		}
	}
	return late
}

// chore runs real work that belongs to no job.
func (st *state) chore(run func(context.Context) error, then func(error)) {
	var e *errand
	e = st.store.launch(run, func(err error) {
		st.chores = slices.DeleteFunc(st.chores, func(other *errand) bool { return other == e })
		if then != nil {
			then(err)
		}
	})
	if !e.returned {
		st.chores = append(st.chores, e)
	}
}

// beginWork begins the work of a job: from now on the machine is to be as the job makes
// it. A job that is to fail by a test's wish begins none where it is for real, so that
// nothing of it is applied.
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
	j.errand = st.store.launch(func(ctx context.Context) error { return j.spec.work(ctx, t) }, func(error) {
		// The job ends no earlier than its work.
		if j.Due.Before(st.Now) {
			j.Due = st.Now
			st.touch(j)
		}
	})
}

// working tells whether the job's real part is under way.
func (j *job) working() bool { return j.errand != nil && !j.errand.returned }

// workFailure is why the job's work failed, or nil.
func (j *job) workFailure() *Failure {
	if j.errand == nil || j.errand.err == nil {
		return nil
	}
	if f := (*Failure)(nil); errors.As(j.errand.err, &f) {
		return f
	}
	return &Failure{Code: "internal", Detail: j.errand.err.Error()}
}

// puttingBack is how long undoing failed work may take.
const puttingBack = time.Minute

// applyChange is the work of a job that changes how a machine is to be. When that fails
// midway, the machine is made as it was.
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

// rollBack takes back what a job makes of the machine, while it is in progress.
func (in *instance) rollBack(j *job) {
	if in.JobID == j.ID {
		in.change = nil
	}
}
