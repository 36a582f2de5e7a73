package main

import "fmt"

// A target is the limit of a number in a table.
type target struct {
	Claim string `json:"claim"`
	// Value is nil if this run did not measure it.
	Value *float64 `json:"value,omitempty"`
	Most  float64  `json:"most"`
	Unit  string   `json:"unit,omitempty"`
	Held  bool     `json:"held"`
}

// atMost returns a target that was measured.
func atMost(claim string, value, most float64, unit string) target {
	return target{Claim: claim, Value: &value, Most: most, Unit: unit, Held: value <= most}
}

// unmeasured returns a target that this run did not measure.
func unmeasured(claim string, most float64, unit string) target {
	return target{Claim: claim, Most: most, Unit: unit}
}

// missed reports whether the target was measured and missed.
func (t target) missed() bool { return t.Value != nil && !t.Held }

// String returns the target in one line.
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

// worst returns a target for the largest of several values. It is unmeasured if there are
// no values.
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
