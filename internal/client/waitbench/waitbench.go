// Package waitbench measures polling schedules: how late a wait sees the end of a job,
// and how many polls that takes. It simulates jobs on its own clock, with the client's
// schedule and those of other providers.
package waitbench

import (
	"math/rand/v2"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A Schedule determines when a wait polls.
type Schedule interface {
	// First returns the time from the beginning of a wait to its first poll.
	First() time.Duration
	// Next returns the time from one poll to the next. elapsed is the time since the
	// beginning of the wait. progress is the percentage that the poll saw, or 0 if none is
	// reported.
	Next(elapsed time.Duration, progress int) time.Duration
}

// Runs is the number of waits for each job.
const Runs = 400

// Durations returns the durations of the jobs. Each run varies them by up to a tenth,
// because a fixed schedule would otherwise meet the end of a job of whole seconds
// exactly.
func Durations() []time.Duration {
	return []time.Duration{2 * time.Second, 10 * time.Second, 60 * time.Second, 480 * time.Second}
}

// A Case is a schedule and its knowledge of the jobs that it waits for.
type Case struct {
	Name string
	// prior returns the expected duration of a job with the given true duration, 0 if
	// unknown.
	prior func(random *rand.Rand, takes time.Duration) time.Duration
	// progress returns a function that converts the true progress of a job to the reported
	// one. It is nil for a job that reports none.
	progress func(random *rand.Rand) func(percent float64) float64
	schedule func(random *rand.Rand, prior time.Duration) Schedule
}

// Cases returns the client's schedule with different knowledge, and the schedules of
// other providers, which use neither prior nor progress.
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

// ours returns the client's schedule.
func ours(random *rand.Rand, prior time.Duration) Schedule {
	return client.NewSchedule(prior, rand.NewPCG(random.Uint64(), random.Uint64()))
}

func none(*rand.Rand, time.Duration) time.Duration { return 0 }

// within20 returns a normally distributed prior with a standard deviation of a fifth.
func within20(random *rand.Rand, takes time.Duration) time.Duration {
	return time.Duration(float64(takes) * max(0.1, 1+0.2*random.NormFloat64()))
}

func times(factor float64) func(*rand.Rand, time.Duration) time.Duration {
	return func(_ *rand.Rand, takes time.Duration) time.Duration {
		return time.Duration(float64(takes) * factor)
	}
}

// within10 returns a function with a different error of up to a tenth in each report.
func within10(random *rand.Rand) func(float64) float64 {
	return func(percent float64) float64 { return percent * (0.9 + 0.2*random.Float64()) }
}

// A Result is the measurement of one case with one job.
type Result struct {
	Case string        `json:"case"`
	Job  time.Duration `json:"job_ns"`
	// Late is the mean time from a job's end to the poll that sees it.
	Late  time.Duration `json:"late_ns"`
	Polls float64       `json:"polls"` // the mean number
}

// Share returns the mean delay as a share of the job's duration.
func (r Result) Share() float64 { return float64(r.Late) / float64(r.Job) }

// Table measures each case with jobs of each duration. The result depends only on the
// seed.
func Table(seed uint64) []Result {
	var table []Result
	for _, c := range Cases() {
		for _, takes := range Durations() {
			table = append(table, c.Measure(takes, Runs, seed))
		}
	}
	return table
}

// Measure waits for a job of about the given duration, runs times.
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

// play waits for a job. It returns when the end is seen and the number of polls.
func play(takes time.Duration, s Schedule, tells func(percent float64) float64) (seen time.Duration, polls int) {
	at := s.First()
	for polls = 1; at < takes; polls++ {
		progress := tells(100 * float64(at) / float64(takes))
		at += s.Next(at, min(99, int(progress)))
	}
	return at, polls
}
