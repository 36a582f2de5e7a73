package reports

import "testing"

// Blocks together contain every address.
func TestOpenToTheInternet(t *testing.T) {
	open := func(cidrs string) func(*world) {
		return func(w *world) {
			w.apply(machine("") + list(`["203.0.113.0/24"]`))
			w.run(machine("")+list(cidrs), "plan").succeeds().warns("internet")
		}
	}
	report(t, "Azure/Enterprise-Scale#1766", "open to the internet in another spelling", situations{
		"two halves":     open(`["0.0.0.0/1", "128.0.0.0/1"]`),
		"two halves, v6": open(`["::/1", "8000::/1"]`),
		"four quarters":  open(`["0.0.0.0/2", "64.0.0.0/2", "128.0.0.0/2", "192.0.0.0/2"]`),
		"an empty list":  open(`[]`),
		"everything":     open(`["0.0.0.0/0"]`),
		"not everything": func(w *world) {
			w.apply(machine("") + list(`["203.0.113.0/24"]`))
			w.run(machine("")+list(`["0.0.0.0/1"]`), "plan").succeeds().lacks("internet")
		},
	})
}
