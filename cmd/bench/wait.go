package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/waitbench"
)

// waitSeed is the seed of the simulated jobs, so that the table is always the same.
const waitSeed = 1

// wait simulates the delay with which waits notice the end of jobs.
func (b *bench) wait() (*table, error) { return waitTable(waitbench.Table(waitSeed)), nil }

// waitTable is the table of waits, which are named for what they know about a job.
func waitTable(results []waitbench.Result) *table {
	t := &table{
		Name: "wait", Title: fmt.Sprintf("how late the end of a job is seen, and after how many polls; means of %d simulated runs", waitbench.Runs),
		Columns: []column{{Name: "known"}, {"job s", 0}, {"late %", 2}, {"late s", 2}, {"polls", 1}},
	}
	for _, r := range results {
		t.add(r.Case, seconds(r.Job), 100*r.Share(), seconds(r.Late), r.Polls)
	}
	of := func(job time.Duration, number func(waitbench.Result) float64, cases ...string) []float64 {
		var values []float64
		for _, r := range results {
			if slices.Contains(cases, r.Case) && r.Job == job {
				values = append(values, number(r))
			}
		}
		return values
	}
	const (
		estimate = "estimate with 20 % spread"
		s        = time.Second
	)
	share := func(r waitbench.Result) float64 { return 100 * r.Share() }
	late := func(r waitbench.Result) float64 { return seconds(r.Late) }
	polls := func(r waitbench.Result) float64 { return r.Polls }
	t.Targets = []target{
		worst("late at 480 s with an estimate 20 % off", of(480*s, share, estimate), 3, " %"),
		worst("late at 60 s with an estimate 20 % off", of(60*s, share, estimate), 5, " %"),
		worst("late at 2 s with an estimate 20 % off", of(2*s, late, estimate), 0.25, " s"),
		worst("polls at 480 s with an estimate 20 % off", of(480*s, polls, estimate), 40, ""),
		worst("late at 60 s with an estimate that is wrong by 4 times", of(60*s, share, "estimate 4 times too long", "estimate 4 times too short"), 25, " %"),
	}
	return t
}
