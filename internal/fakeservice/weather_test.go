package fakeservice_test

import (
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// The weather can be set at any time, and setting it again repeats the same faults.
// Package weather determines the faults from the seed.
func TestControlWeather(t *testing.T) {
	t.Parallel()
	a := start(t)
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
	a.play("", `fake GET /weather => 200 | weather="calm" | seed=null`)
	for range 2 {
		a.play("", `
			fake PUT /weather {"weather":"breeze","seed":39} => 200 | weather="breeze" | seed=39
			fake GET /weather => 200 | weather="breeze" | seed=39
		`)
		equal(t, "faulted", faulted(), want)
	}
	if drawn := a.told("PUT", "/weather", `{"weather":"storm"}`); drawn["weather"] != "storm" || drawn["seed"].(float64) < 1 {
		t.Errorf("the weather without a seed: got %v, want storm with a drawn seed", drawn)
	}
	a.play("", `
		fake PUT /weather => 400
		fake PUT /weather {"weather":"hail"} => 400
		fake PUT /weather {"weather":"calm","seed":3} => 400
		fake PUT /weather {"weather":"storm","seed":-1} => 400
		fake PUT /weather {"weather":"storm","wind":3} => 400
		fake GET /weather => 200 | weather="storm"
		fake POST /reset => 200
		fake GET /weather => 200 | weather="calm" | seed=null
	`)
	equal(t, "faulted after a reset", len(faulted()), 0)
	a.play("", `
		fake PUT /weather {"weather":"storm","seed":3} => 200
		fake PUT /weather {"weather":"calm"} => 200 | weather="calm" | seed=null
		fake PUT /weather {"weather":"storm","seed":3} => 200
	`)
	// A FaultFunc of a test replaces the weather.
	a.SetFaultFunc(nil)
	a.play("", `fake GET /weather => 200 | weather="calm"`)
}
