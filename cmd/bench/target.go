package main

import "fmt"

// A target is what a table is held to: a number, and how large it may be.
type target struct {
	Claim string `json:"claim"`
	// Value is nil where this run did not measure it.
	Value *float64 `json:"value,omitempty"`
	Most  float64  `json:"most"`
	Unit  string   `json:"unit,omitempty"`
	Held  bool     `json:"held"`
}

// atMost is a target that was measured.
func atMost(claim string, value, most float64, unit string) target {
	return target{Claim: claim, Value: &value, Most: most, Unit: unit, Held: value <= most}
}

// unmeasured is a target about which this run says nothing.
func unmeasured(claim string, most float64, unit string) target {
	return target{Claim: claim, Most: most, Unit: unit}
}

// missed tells whether the target was measured and not held.
func (t target) missed() bool { return t.Value != nil && !t.Held }

// String is the target in one line.
func (t target) String() string {
	switch unit := t.Unit; {
	case t.Value == nil:
		return fmt.Sprintf("  not measured  %s: at most %.4g%s", t.Claim, t.Most, unit)
	case t.Held:
		return fmt.Sprintf("  held          %s: %.4g%s, at most %.4g%s", t.Claim, *t.Value, unit, t.Most, unit)
	default:
		return fmt.Sprintf("  NOT HELD      %s: %.4g%s, at most %.4g%s", t.Claim, *t.Value, unit, t.Most, unit)
	}
}

// worst is a target for the largest of several values, unmeasured where there is none.
func worst(claim string, values []float64, most float64, unit string) target {
	if len(values) == 0 {
		return unmeasured(claim, most, unit)
	}
	largest := values[0]
	for _, value := range values {
		largest = max(largest, value)
	}
	return atMost(claim, largest, most, unit)
}
