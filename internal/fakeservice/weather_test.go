package fakeservice_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// The weather can be set at any time, and setting it again repeats the same faults.
// Package weather determines the faults from the seed.
func TestControlWeather(t *testing.T) {
	t.Parallel()
	a := start(t)
	calm := object{"weather": "calm", "seed": nil}
	equal(t, "at first", a.told("GET", "/weather", ""), calm)

	const seed, requests = 39, 12
	faulted := func() (at []int) {
		before := len(a.Requests())
		for range requests {
			_, _ = a.try("PATCH", "/me", object{"company": "C"}) // a closed connection is part of the weather
		}
		for n, r := range a.Requests()[before:] {
			if r.Fault {
				at = append(at, n+1)
			}
		}
		return at
	}
	var want []int
	for n := range requests {
		if _, _, strikes := weather.Breeze.At(seed, n+1, http.MethodPatch); strikes {
			want = append(want, n+1)
		}
	}
	if len(want) == 0 {
		t.Fatalf("requests that the seed strikes: got none of %d, want at least one", requests)
	}
	for range 2 {
		windy := object{"weather": "breeze", "seed": float64(seed)}
		equal(t, "set", a.told("PUT", "/weather", fmt.Sprintf(`{"weather":"breeze","seed":%d}`, seed)), windy)
		equal(t, "shown", a.told("GET", "/weather", ""), windy)
		equal(t, "faulted", faulted(), want)
	}
	if drawn := a.told("PUT", "/weather", `{"weather":"storm"}`); drawn["weather"] != "storm" || drawn["seed"].(float64) < 1 {
		t.Errorf("the weather without a seed: got %v, want storm with a drawn seed", drawn)
	}
	for _, bad := range []string{``, `{"weather":"hail"}`, `{"weather":"calm","seed":3}`, `{"weather":"storm","seed":-1}`, `{"weather":"storm","wind":3}`} {
		if status, got := a.control("PUT", "/weather", bad); status != http.StatusBadRequest {
			t.Errorf("PUT /_fake/weather %s: got %d %v, want 400", bad, status, got)
		}
	}
	if now, _ := a.Weather(); now != weather.Storm {
		t.Errorf("the weather after a refused change: got %s, want storm", now)
	}
	a.told("POST", "/reset", "")
	equal(t, "after a reset", a.told("GET", "/weather", ""), calm)
	equal(t, "faulted after a reset", len(faulted()), 0)
	a.told("PUT", "/weather", `{"weather":"storm","seed":3}`)
	equal(t, "calmed", a.told("PUT", "/weather", `{"weather":"calm"}`), calm)
	// A FaultFunc of a test replaces the weather.
	a.told("PUT", "/weather", `{"weather":"storm","seed":3}`)
	a.SetFaultFunc(nil)
	equal(t, "under a FaultFunc", a.told("GET", "/weather", ""), calm)
}
