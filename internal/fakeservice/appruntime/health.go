package appruntime

import (
	"context"
	"time"
)

// seen is what speaks against an app.
type seen struct {
	status int  // its last answer, 0 for none
	exited bool // a process of it has ended, or could not begin
}

// Failure is why an app has failed.
type Failure struct {
	// Status is the last answer of the health path, 0 where there was none.
	Status int
	// Exited tells that a process of the app has ended by itself, or could not
	// begin. It is started again all the same.
	Exited bool
	// Log is the end of what the app has written, and of what became of it.
	Log string
}

// see notes something about the app.
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

// answered notes that the app works. What spoke against it before is over.
func (a *App) answered() {
	a.mu.Lock()
	a.lastAnswer = time.Now()
	a.since = seen{}
	a.mu.Unlock()
	a.setStatus(Running)
}

// watchPatience lets the app fail when it has not answered its health path for
// too long, counted from now or from its last answer. It may still recover.
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
