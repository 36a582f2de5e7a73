package core

import "slices"

// healthy reports whether the instance and all its deployed apps run.
func (in *instance) healthy() bool {
	return in.Status == StatusRunning && !slices.ContainsFunc(in.Apps, func(a *app) bool { return a.Deployed && a.Status == StatusFailed })
}

// noteHealth emits an event when a running instance becomes unhealthy or healthy again.
func (st *state) noteHealth(in *instance) {
	if in.Status != StatusRunning || in.Ailing == !in.healthy() {
		return
	}
	in.Ailing = !in.Ailing
	kind := "health_reset"
	if in.Ailing {
		kind = "health_alert"
	}
	st.emit(kind, in.ID, map[string]any{"healthy": !in.Ailing})
}
