package core

import "slices"

// healthy tells whether all that runs on an instance does: the machine, and each app
// that was deployed.
func (in *instance) healthy() bool {
	return in.Status == StatusRunning && !slices.ContainsFunc(in.Apps, func(a *app) bool { return a.Deployed && a.Status == StatusFailed })
}

// noteHealth tells when an instance that runs is no longer healthy, or is so again.
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
