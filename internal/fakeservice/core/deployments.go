package core

import (
	"context"
	"errors"
)

// buildForReal starts the data plane's build while the build's time passes. The build
// ends when both are over.
func (st *state) buildForReal(run *buildRun, a *app) {
	built := copyOfApp(a.App)
	var commit string
	run.work = st.store.launch(func(ctx context.Context) error {
		var err error
		commit, err = st.plane.Build(ctx, run.InstanceID, built, run.ID)
		return err
	}, func(error) {
		if _, b := st.build(run); b != nil {
			b.Commit = commit
		}
		if run.Due.Before(st.Now) {
			run.Due = st.Now
			st.touch(run)
		}
	})
}

// working reports whether the data plane's build is in progress.
func (run *buildRun) working() bool { return run.work != nil && !run.work.returned }

// buildFailure returns the log of a failed build and whether the build has failed.
func (st *state) buildFailure(run *buildRun) (log string, failed bool) {
	if log, fails := st.control.failsBuild(run); fails {
		return log, true
	}
	if run.work == nil || run.work.err == nil {
		return "", false
	}
	if f := (*BuildFailure)(nil); errors.As(run.work.err, &f) {
		return f.Log, true
	}
	return run.work.err.Error(), true
}

// deploy puts a finished build into service. A real app has the status building until it
// answers; an app that is only a record runs immediately.
func (st *state) deploy(in *instance, a *app, buildID string) {
	a.Deploying = true
	if st.plane == nil {
		st.startRecord(in, a)
		st.updateURL(in, a)
		return
	}
	a.Status, a.Failure = StatusBuilding, nil
	st.deployForReal(in, a, buildID)
}

// deployForReal runs a build. The data plane reports whether the app runs.
func (st *state) deployForReal(in *instance, a *app, buildID string) {
	id, name := in.ID, a.Name
	st.runInBackground(func(ctx context.Context) error { return st.plane.Deploy(ctx, id, name, buildID) }, func(err error) {
		if in.app(a.Name) != a {
			return
		}
		st.touch(in)
		if err != nil {
			st.log.Error("an app could not be deployed", "instance", in.ID, "app", a.Name, "error", err)
			st.failApp(in, a, AppFailure{Exited: true, Log: err.Error()})
			return
		}
		st.updateURL(in, a)
	})
}

// startRecord starts a deployed app that is only a record, at a deployment or a restart.
// The app runs immediately, unless a test makes it fail.
func (st *state) startRecord(in *instance, a *app) {
	if why, fails := st.control.failsStart(in.ID, a.Name); fails {
		st.failApp(in, a, why)
		return
	}
	st.runApp(in, a)
}

func (st *state) failApp(in *instance, a *app, why AppFailure) {
	a.Status, a.Failure = StatusFailed, &why
	st.settled(in, a)
}

// runApp sets a deployed app to running.
func (st *state) runApp(in *instance, a *app) {
	a.Status, a.Failure = StatusRunning, nil
	st.settled(in, a)
}

// AppRuns implements ControlPlane: it sets a deployed app to running.
func (s *Service) AppRuns(instanceID, name string) {
	s.withApp(instanceID, name, func(st *state, in *instance, a *app) {
		st.runApp(in, a)
		st.updateURL(in, a)
	})
}

// AppFailed implements ControlPlane: it sets a deployed app to failed.
func (s *Service) AppFailed(instanceID, name string, why AppFailure) {
	s.withApp(instanceID, name, func(st *state, in *instance, a *app) {
		st.failApp(in, a, why)
		st.updateURL(in, a)
	})
}

// mail is a stored Mail.
type mail struct {
	Mail
	Sequence int
}

// SendMail stores a mail, because the fake sends none.
func (s *Service) SendMail(m Mail) {
	s.store.do(func(st *state) { st.Mails = keep(st, st.Mails, &mail{m, st.next()}) })
}

// Mails returns the mails that the service would have sent, in order.
func (s *Service) Mails() []Mail {
	var mails []Mail
	s.store.read(0, func(st *state) {
		for _, m := range st.Mails {
			mails = append(mails, m.Mail)
		}
	})
	return mails
}

// Processes returns the processes that run for an instance.
func (s *Service) Processes(instanceID string) []Process {
	if s.plane == nil {
		return nil
	}
	return s.plane.Processes(instanceID)
}
