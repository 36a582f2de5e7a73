package reports

import "testing"

// machine is an instance with all that the situations need.
const machine = `
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
}
`

func TestSmoke(t *testing.T) {
	report(t, "x/y#1", "smoke", situations{"all": func(w *world) {
		w.apply(machine)
		w.quiet(machine)
		w.run(machine, "destroy").succeeds()
	}})
}
