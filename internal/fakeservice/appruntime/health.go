package appruntime

import (
	"context"
	"time"
)

// answered notes that the app works.
func (a *App) answered() {
	a.mu.Lock()
	a.lastAnswer = time.Now()
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
