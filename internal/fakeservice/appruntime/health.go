package appruntime

import (
	"context"
	"time"
)

// seen records the problems observed of an app.
type seen struct {
	status int  // the latest answer, or 0
	exited bool // a process of the app has ended, or could not start
}

// Failure explains why an app has failed.
type Failure struct {
	// Status is the last answer of the health path, or 0 if there was no answer.
	Status int
	// Exited reports that a process of the app ended by itself or could not start. The app
	// is restarted anyway.
	Exited bool
	// Log is the end of the app's output, with notes about its starts and ends.
	Log string
}

// see records an observation about the app.
func (a *App) see(change func(*seen)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.since)
}

func (a *App) failure() *Failure {
	a.mu.Lock()
	since := a.since
	a.mu.Unlock()
	return &Failure{Status: since.status, Exited: since.exited, Log: lastOf(a.Log(), logShown)}
}

// answered records that the app works, and forgets earlier problems.
func (a *App) answered() {
	a.mu.Lock()
	a.lastAnswer = time.Now()
	a.since = seen{}
	a.mu.Unlock()
	a.setStatus(Running)
}

// watchPatience marks the app as failed when it has not answered its health path for too
// long, counted from now or from its last answer. The app may still recover.
func (r *run) watchPatience(ctx context.Context) {
	patience := r.app.runtime.options.Patience
	began := time.Now()
	for {
		r.app.mu.Lock()
		last := r.app.lastAnswer
		r.app.mu.Unlock()
		if last.Before(began) {
			last = began
		}
		left := time.Until(last.Add(patience))
		if left <= 0 {
			if r.app.Status() != Failed {
				r.app.note("%s has not been answered with 200 for %s", r.spec.HealthPath, patience)
				r.app.setStatus(Failed)
			}
			left = watchEvery
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return
		}
	}
}
