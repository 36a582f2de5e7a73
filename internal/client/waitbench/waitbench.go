// Package waitbench measures schedules of polling: how late a wait sees the end of a
// job, and how many polls that takes. It plays jobs on a clock of its own, with the
// client's own schedule and those of peers.
package waitbench

import (
	"math/rand/v2"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A Schedule says when a wait polls.
type Schedule interface {
	// First is how long after its beginning a wait polls for the first time.
	First() time.Duration
	// Next is how long after a poll the next one is due, when that poll was made
	// after some time and saw a progress in percent, 0 where none is told.
	Next(elapsed time.Duration, progress int) time.Duration
}

// Runs is how often each job is waited for.
const Runs = 400

// Durations are those of the jobs, give or take a tenth: a fixed schedule would meet
// the end of a job of whole seconds exactly.
func Durations() []time.Duration {
	return []time.Duration{2 * time.Second, 10 * time.Second, 60 * time.Second, 480 * time.Second}
}

// A Case is a schedule with what it knows of the jobs that it waits for.
type Case struct {
	Name string
	// prior is how long a job is expected to take that takes so long, 0 for nothing.
	prior func(random *rand.Rand, takes time.Duration) time.Duration
	// progress makes what a job tells of its progress, given the true one; nil for a
	// job that tells none.
	progress func(random *rand.Rand) func(percent float64) float64
	schedule func(random *rand.Rand, prior time.Duration) Schedule
}

// Cases are the client's schedule, by what it knows, and those of peers, which use
// neither prior nor progress.
func Cases() []Case {
	return append([]Case{
		{"no prior", none, nil, ours},
		{"prior with 20 % spread", within20, nil, ours},
		{"progress within 10 %", none, within10, ours},
		{"both", within20, within10, ours},
		{"prior 4 times too long", times(4), nil, ours},
		{"prior 4 times too short", times(0.25), nil, ours},
	}, peers()...)
}

// ours is the client's schedule.
func ours(random *rand.Rand, prior time.Duration) Schedule {
	return client.NewSchedule(prior, rand.NewPCG(random.Uint64(), random.Uint64()))
}

func none(*rand.Rand, time.Duration) time.Duration { return 0 }

// within20 is a normal distribution with a standard deviation of a fifth.
func within20(random *rand.Rand, takes time.Duration) time.Duration {
	return time.Duration(float64(takes) * max(0.1, 1+0.2*random.NormFloat64()))
}

func times(factor float64) func(*rand.Rand, time.Duration) time.Duration {
	return func(_ *rand.Rand, takes time.Duration) time.Duration {
		return time.Duration(float64(takes) * factor)
	}
}

// within10 is another error in each report.
func within10(random *rand.Rand) func(float64) float64 {
	return func(percent float64) float64 { return percent * (0.9 + 0.2*random.Float64()) }
}

// A Result is what came of a case's runs.
type Result struct {
	Case string        `json:"case"`
	Job  time.Duration `json:"job_ns"`
	// Late is the mean time from a job's end to the poll that sees it.
	Late  time.Duration `json:"late_ns"`
	Polls float64       `json:"polls"` // the mean of them
}

// Share is how late the end is seen, as a share of the job.
func (r Result) Share() float64 { return float64(r.Late) / float64(r.Job) }

// Table measures each case with jobs of each duration. The same seed gives the same
// table.
func Table(seed uint64) []Result {
	var table []Result
	for _, c := range Cases() {
		for _, takes := range Durations() {
			table = append(table, c.Measure(takes, Runs, seed))
		}
	}
	return table
}

// Measure waits so many times for a job that takes about so long.
func (c Case) Measure(takes time.Duration, runs int, seed uint64) Result {
	random := rand.New(rand.NewPCG(seed, uint64(takes)))
	result := Result{Case: c.Name, Job: takes}
	polls := 0
	for range runs {
		takes := time.Duration(float64(takes) * (0.9 + 0.2*random.Float64()))
		tells := func(float64) float64 { return 0 }
		if c.progress != nil {
			tells = c.progress(random)
		}
		seen, n := play(takes, c.schedule(random, c.prior(random, takes)), tells)
		result.Late += (seen - takes) / time.Duration(runs)
		polls += n
	}
	result.Polls = float64(polls) / float64(runs)
	return result
}

// play waits for a job, and tells when its end is seen, by how many polls.
func play(takes time.Duration, s Schedule, tells func(percent float64) float64) (seen time.Duration, polls int) {
	at := s.First()
	for polls = 1; at < takes; polls++ {
		progress := tells(100 * float64(at) / float64(takes))
		at += s.Next(at, min(99, int(progress)))
	}
	return at, polls
}
