package core

import "time"

// durations has the durations of jobs and builds by the fake's clock.
type durations struct {
	Jobs                   map[string]time.Duration
	FirstBuild, LaterBuild time.Duration
}

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
