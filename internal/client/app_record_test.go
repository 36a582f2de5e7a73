package client

import (
	"encoding/json"
	"testing"
)

// The record of a stopped app may have zeros, which do not count as values.
func TestZerosOfAnApp(t *testing.T) {
	for raw, want := range map[string][3]bool{ // whether port, health_path and memory_mb have a value
		`{"name": "web", "port": 0, "health_path": "", "memory_mb": 0}`:         {},
		`{"name": "web", "port": null, "health_path": null, "memory_mb": null}`: {},
		`{"name": "web"}`: {},
		`{"name": "web", "port": 3000, "health_path": "/up", "memory_mb": 512}`: {true, true, true},
		`{"name": "web", "port": 3000, "health_path": "", "status": "stopped"}`: {true, false, false},
	} {
		var app App
		if err := json.Unmarshal([]byte(raw), &app); err != nil || app.Name != "web" {
			t.Fatalf("%s: got %+v and error %v, want the app web", raw, app, err)
		}
		if got := [3]bool{app.Port.Set, app.HealthPath.Set, app.MemoryMB.Set}; got != want {
			t.Errorf("%s: got values %v, want %v", raw, got, want)
		}
	}
}
