package tier

import "testing"

func TestRuns(t *testing.T) {
	for set, want := range map[string][2]bool{"": {}, changeVariable: {true, false}, nightVariable: {true, true}} {
		t.Run(set, func(t *testing.T) {
			t.Setenv(changeVariable, "")
			t.Setenv(nightVariable, "")
			if set != "" {
				t.Setenv(set, "1")
			}
			if got := [2]bool{Change.Runs(), Night.Runs()}; got != want {
				t.Errorf("change and night: got %v, want %v", got, want)
			}
		})
	}
}
