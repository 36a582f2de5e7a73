package client

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestNumbers(t *testing.T) {
	for raw, row := range map[string]struct {
		whole, amount bool // readable
		want          float64
	}{
		`320`: {true, true, 320}, `320.0`: {true, true, 320}, `3.2e2`: {true, true, 320}, `"320"`: {true, true, 320}, `"320.0"`: {true, true, 320},
		`0`: {true, true, 0}, `-1`: {true, true, -1}, `null`: {true, true, 0}, `320.5`: {false, true, 320.5}, `"0.5"`: {false, true, 0.5},
		`"x"`: {false, false, 0}, `true`: {false, false, 0}, `{}`: {false, false, 0}, `[1]`: {false, false, 0}, `1e300`: {false, true, 1e300}, `1e999`: {false, false, 0},
	} {
		var whole struct {
			A struct{ N Whole } `json:"a"`
		}
		err := json.Unmarshal([]byte(`{"a": {"n": `+raw+`}}`), &whole)
		wrong := (*json.UnmarshalTypeError)(nil)
		if (err == nil) != row.whole || row.whole && float64(whole.A.N) != row.want || err != nil && (!errors.As(err, &wrong) || wrong.Field != "a.n" && wrong.Field != "a.N") {
			t.Errorf("Whole %s: got %d and error %v, want %g, readable: %t, and a.n in the error", raw, whole.A.N, err, row.want, row.whole)
		}
		var amount Amount
		if err := json.Unmarshal([]byte(raw), &amount); (err == nil) != row.amount || row.amount && float64(amount) != row.want {
			t.Errorf("Amount %s: got %g and error %v, want %g, readable: %t", raw, float64(amount), err, row.want, row.amount)
		}
	}
}
