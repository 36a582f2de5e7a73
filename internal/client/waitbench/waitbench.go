// Package waitbench measures how late a wait of the client sees the end of a job, and how
// many polls that takes. It simulates jobs on its own clock.
package waitbench

import (
	"math/rand/v2"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// Runs is the number of waits for each job.
const Runs = 400

// Durations returns the durations of the jobs. Each run varies them by up to a tenth,
// so that no schedule meets the end of all jobs by chance.
func Durations() []time.Duration {
	return []time.Duration{2 * time.Second, 10 * time.Second, 60 * time.Second, 480 * time.Second}
}

// A Case is the knowledge of a wait about its job.
type Case struct {
	Name string
	// estimate returns the expected duration of a job with the given true duration, 0 if
	// unknown.
	estimate func(random *rand.Rand, takes time.Duration) time.Duration
	// progress returns a function that converts the true progress of a job to the reported
	// one. It is nil for a job that reports none.
	progress func(random *rand.Rand) func(percent float64) float64
}

// Cases returns the cases of the table.
func Cases() []Case {
	return []Case{
		{"no estimate", none, nil},
		{"estimate with 20 % spread", within20, nil},
		{"progress within 10 %", none, within10},
		{"both", within20, within10},
		{"estimate 4 times too long", times(4), nil},
		{"estimate 4 times too short", times(0.25), nil},
	}
}

func none(*rand.Rand, time.Duration) time.Duration { return 0 }

// within20 returns a normally distributed estimate with a standard deviation of a fifth.
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
		seen, n := play(random, takes, c.estimate(random, takes), tells)
		result.Late += (seen - takes) / time.Duration(runs)
		polls += n
	}
	result.Polls = float64(polls) / float64(runs)
	return result
}

// play waits for a job. It returns when the end is seen and the number of polls.
func play(random *rand.Rand, takes, estimate time.Duration, tells func(percent float64) float64) (seen time.Duration, polls int) {
	at := client.FirstPoll
	for polls = 1; at < takes; polls++ {
		progress := min(99, int(tells(100*float64(at)/float64(takes))))
		jitter := 0.9 + 0.2*random.Float64()
		at += time.Duration(jitter * float64(client.NextPoll(at, estimate, progress)))
	}
	return at, polls
}
