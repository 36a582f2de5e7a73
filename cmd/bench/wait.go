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

// waitTable is the table of schedules. The client's own schedules are named for what they
// know about a job.
func waitTable(results []waitbench.Result) *table {
	t := &table{
		Name: "wait", Title: fmt.Sprintf("how late the end of a job is seen, and after how many polls; means of %d simulated runs", waitbench.Runs),
		Columns: []column{{Name: "schedule"}, {"job s", 0}, {"late %", 2}, {"late s", 2}, {"polls", 1}},
	}
	for _, r := range results {
		t.add(r.Case, seconds(r.Job), 100*r.Share(), seconds(r.Late), r.Polls)
	}
	of := func(least, most time.Duration, number func(waitbench.Result) float64, schedules ...string) []float64 {
		var values []float64
		for _, r := range results {
			if slices.Contains(schedules, r.Case) && r.Job >= least && r.Job <= most {
				values = append(values, number(r))
			}
		}
		return values
	}
	const (
		prior    = "prior with 20 % spread"
		progress = "progress within 10 %"
		s        = time.Second
	)
	late := func(r waitbench.Result) float64 { return 100 * r.Share() }
	t.Targets = []target{
		worst("late with a prior of 20 % spread, from 10 s up", of(10*s, time.Hour, late, prior), 3.5, " %"),
		worst("late with progress within 10 %, at 10 s", of(10*s, 10*s, late, progress), 2, " %"),
		worst("late with progress within 10 %, from 60 s up", of(60*s, time.Hour, late, progress), 1, " %"),
		worst("polls at 480 s with a prior of 20 % spread", of(480*s, 480*s, func(r waitbench.Result) float64 { return r.Polls }, prior), 35, ""),
		worst("late with a prior that is wrong by 4 times", of(10*s, time.Hour, late, "prior 4 times too long", "prior 4 times too short"), 25, " %"),
		worst("late at 2 s", of(2*s, 2*s, func(r waitbench.Result) float64 { return seconds(r.Late) }, prior, progress), 0.2, " s"),
	}
	return t
}
