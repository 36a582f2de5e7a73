package waitbench

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// constantly10 returns a function with the same error of up to a tenth in each report of
// a job.
func constantly10(random *rand.Rand) func(float64) float64 {
	factor := 0.9 + 0.2*random.Float64()
	return func(percent float64) float64 { return percent * factor }
}

// evenly20 returns an estimate within a fifth, evenly distributed.
func evenly20(random *rand.Rand, takes time.Duration) time.Duration {
	return time.Duration(float64(takes) * (0.8 + 0.4*random.Float64()))
}

// The limits of the waits, as shares of a job's duration.
func TestWaitsEndNearTheirJobs(t *testing.T) {
	t.Parallel()
	const s = time.Second
	likely := map[time.Duration]float64{2 * s: 0.125, 10 * s: 0.05, 60 * s: 0.05, 480 * s: 0.03}
	wrong := map[time.Duration]float64{2 * s: 0.15, 10 * s: 0.25, 60 * s: 0.25, 480 * s: 0.25}
	few := map[time.Duration]float64{480 * s: 40}
	for _, row := range []struct {
		Case
		late  map[time.Duration]float64 // maximum
		polls map[time.Duration]float64
	}{
		{Case{"no estimate", none, nil}, map[time.Duration]float64{2 * s: 0.125, 10 * s: 0.05, 60 * s: 0.05, 480 * s: 0.05}, nil},
		{Case{"estimate with 20 % spread", within20, nil}, likely, few},
		{Case{"any estimate within 20 %", evenly20, nil}, likely, few},
		{Case{"exact estimate", times(1), nil}, likely, few},
		{Case{"progress within 10 %", none, within10}, likely, nil},
		{Case{"progress always as far off", none, constantly10}, likely, nil},
		{Case{"both", within20, within10}, likely, few},
		{Case{"estimate 4 times too long, progress told", times(4), within10}, likely, few},
		{Case{"estimate 4 times too long", times(4), nil}, wrong, nil},
		{Case{"estimate 4 times too short", times(0.25), nil}, wrong, nil},
	} {
		for takes, late := range row.late {
			for seed := range uint64(3) {
				r := row.Measure(takes, Runs, seed)
				t.Logf("%-38s %4s: %5.2f %% late, %5.1f polls", row.Name, takes, 100*r.Share(), r.Polls)
				if r.Share() > late {
					t.Errorf("%s: a job of %s: got it seen %.2f %% late, want at most %.2f %%", row.Name, takes, 100*r.Share(), 100*late)
				}
				if most, limited := row.polls[takes]; limited && r.Polls > most {
					t.Errorf("%s: polls of a job of %s: got %.1f, want at most %g", row.Name, takes, r.Polls, most)
				}
			}
		}
	}
}

// Jobs whose duration has no relation to any of the delays have the same limits.
func TestWrongEstimateIsBoundedForAnyDuration(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		takes := time.Second + time.Duration(random.Float64()*random.Float64()*float64(20*time.Minute))
		for _, factor := range []float64{4, 0.25} {
			c := Case{"", times(factor), nil}
			if r := c.Measure(takes, 50, random.Uint64()); r.Share() > 0.26 {
				t.Errorf("a job of %s with an estimate of %g times that: got it seen %.0f %% late, want at most 26 %%", takes, factor, 100*r.Share())
			}
		}
	}
}

func TestTableIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	if table := Table(1); !reflect.DeepEqual(table, Table(1)) || len(table) != len(Cases())*len(Durations()) {
		t.Errorf("the table: got %d results, want %d and the same each time", len(table), len(Cases())*len(Durations()))
	}
}
