package client

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestExpectedDurations(t *testing.T) {
	const s = time.Second
	type seen struct {
		kind
		took time.Duration
	}
	redis, nats := kind{OpEngineRestart, "redis"}, kind{OpEngineRestart, "nats"}
	create, build := kind{OpCreate, "small"}, kind{operation: opFirstBuild}
	for _, row := range []struct {
		name string
		seen []seen
		of   kind
		want time.Duration
	}{
		{"nothing is seen", nil, create, 480 * s},
		{"nothing is known", nil, kind{operation: "ponder"}, 0},
		{"one of its kind", []seen{{create, 300 * s}}, create, 300 * s},
		{"one was stuck", []seen{{create, 300 * s}, {create, 3000 * s}, {create, 310 * s}}, create, 310 * s},
		{"another engine", []seen{{nats, 40 * s}}, redis, 40 * s},
		{"its own engine before another", []seen{{nats, 40 * s}, {redis, 10 * s}, {nats, 40 * s}}, redis, 10 * s},
		{"a fast service", []seen{{create, 48 * s}}, build, 18 * s},
		{"a fast service, by several", []seen{{create, 48 * s}, {kind{operation: OpConsole}, 600 * time.Millisecond}, {kind{operation: OpAppImport}, 2 * s}}, build, 18 * s},
		{"no common pace", []seen{{create, 48 * s}, {kind{operation: OpConsole}, 5 * s}}, build, 180 * s},
		{"nothing of an operation that nobody knows", []seen{{kind{operation: "ponder"}, 48 * s}}, build, 180 * s},
		{"nothing of what took no time", []seen{{create, 0}}, create, 480 * s},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDurations()
			for _, seen := range row.seen {
				d.note(seen.kind, seen.took)
			}
			if got := d.expect(row.of); got.Round(time.Millisecond) != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

// The client soon adapts to a service that has become slower.
func TestOldDurationsAreForgotten(t *testing.T) {
	d := newDurations()
	for range 1000 {
		d.note(kind{OpCreate, "small"}, time.Minute)
	}
	for range newest {
		d.note(kind{OpCreate, "small"}, time.Hour)
	}
	if got := d.expect(kind{OpCreate, "small"}); got != time.Hour {
		t.Errorf("expected duration: got %s, want 1h0m0s", got)
	}
	if n := len(d.seen[kind{OpCreate, "small"}]); n != newest {
		t.Errorf("%d are kept", n)
	}
}

// rotations is a service whose rotations all take the given time and report no progress.
func rotations(takes time.Duration) script {
	begun := time.Now()
	return script{
		"GET /instances/i": says(200, object{"id": "i", "status": "running"}),
		"POST /instances/i/actions/rotate": func(w http.ResponseWriter, _ *http.Request) {
			begun = time.Now()
			respond(w, 202, object{"job_id": "j-1"})
		},
		"GET /jobs/j-1": func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, jobOf(begun, takes, false)) },
	}
}

// A process that has seen a long operation expects the next one to take as long.
func TestWaitLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 200 * time.Second // ten times the typical duration
		c, transport := newTestClient(t, rotations(takes).serve)
		wait := func() (late time.Duration, polls int) {
			turn := enter(t, c)
			defer turn.Leave()
			pending, err := turn.Rotate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			begun, before := time.Now(), transport.count("GET /jobs")
			if err := turn.Wait(t.Context(), pending, OpRotate); err != nil {
				t.Fatal(err)
			}
			return time.Since(begun) - takes, transport.count("GET /jobs") - before
		}
		_, first := wait()
		for range 5 {
			late, polls := wait()
			if late > takes/50 || polls > 40 || polls > first*3/4 {
				t.Errorf("seen %s late, by %d polls; the first took %d", late, polls, first)
			}
		}
	})
}

// A wait that joins a job midway learns nothing from it.
func TestWaitOfAnothersJobTeachesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, 200, jobOf(begun, time.Hour, true)) })
		time.Sleep(59 * time.Minute)
		if err := c.WaitJob(t.Context(), "i", Pending{JobID: "j-1"}, OpCreate, nil); err != nil {
			t.Fatal(err)
		}
		if got := c.durations.expect(kind{operation: OpCreate}); got != 480*time.Second {
			t.Errorf("a creation is expected to take %s", got)
		}
	})
}
