package core

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
