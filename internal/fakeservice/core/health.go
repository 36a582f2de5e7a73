package core

import "slices"

// healthy tells whether all that runs on an instance does: the machine, and each app
// that was deployed.
func (in *instance) healthy() bool {
	return in.Status == StatusRunning && !slices.ContainsFunc(in.apps, func(a *app) bool { return a.deployed && a.Status == StatusFailed })
}

// noteHealth tells when an instance that runs is no longer healthy, or is so again.
func (st *state) noteHealth(in *instance) {
	if in.Status != StatusRunning || in.ailing == !in.healthy() {
		return
	}
	in.ailing = !in.ailing
	kind := "health_reset"
	if in.ailing {
		kind = "health_alert"
	}
	st.emit(kind, in.ID, map[string]any{"healthy": !in.ailing})
}
