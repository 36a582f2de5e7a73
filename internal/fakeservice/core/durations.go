package core

import "time"

// durations has the durations of jobs and builds by the fake's clock.
type durations struct {
	Jobs                   map[string]time.Duration
	FirstBuild, LaterBuild time.Duration
}

// defaultDurations returns the usual durations (SERVICE.md#jobs).
func defaultDurations() durations {
	return durations{
		Jobs: map[string]time.Duration{
			"create":          480 * time.Second,
			"update":          5 * time.Second,
			"delete":          30 * time.Second,
			"engines":         30 * time.Second,
			"allowlist":       20 * time.Second,
			"console":         5 * time.Second,
			"auth_settings":   5 * time.Second,
			"rotate":          20 * time.Second,
			"resize":          60 * time.Second,
			"reset":           60 * time.Second,
			"restore":         120 * time.Second,
			"database_create": 5 * time.Second,
			"database_drop":   5 * time.Second,
			"extension_set":   5 * time.Second,
			"extension_drop":  5 * time.Second,
			"app_import":      20 * time.Second,
			"app_update":      5 * time.Second,
			"app_delete":      10 * time.Second,
			"app_redeploy":    5 * time.Second,
			"app_restart":     10 * time.Second,
			"engine_restart":  20 * time.Second,
		},
		FirstBuild: 180 * time.Second,
		LaterBuild: 120 * time.Second,
	}
}

func (d *durations) job(operation string) time.Duration { return d.Jobs[operation] }

// build returns the duration of the n-th build of an app, counted from 0.
func (d *durations) build(n int) time.Duration {
	if n == 0 {
		return d.FirstBuild
	}
	return d.LaterBuild
}

// set changes one duration. "build" sets those of first and later builds.
func (d *durations) set(operation string, length time.Duration) {
	if operation == "build" {
		d.FirstBuild, d.LaterBuild = length, length
		return
	}
	d.Jobs[operation] = length
}
