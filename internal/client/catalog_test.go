package client

import "testing"

func TestPlan(t *testing.T) {
	plans := Plans{Plans: []Plan{{ID: "starter"}, {ID: "pro"}}}
	for id, want := range map[string]bool{"starter": true, "pro": true, "por": false, "": false} {
		plan, found := plans.Plan(id)
		if found != want || found && plan.ID != id {
			t.Errorf("plan %q: got %q, %t, want found %t", id, plan.ID, found, want)
		}
	}
}
