package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

func TestResult(t *testing.T) {
	t.Parallel()
	got := result{name: "Plan/full/n=10", wall: 1500 * time.Millisecond, metrics: map[string]float64{"requests": 34, "peak-MiB": 40.25}}.String()
	if !strings.HasPrefix(got, "BenchmarkPlan/full/n=10-") || !strings.HasSuffix(got, "\t1\t1500000000 ns/op\t40.25 peak-MiB\t34 requests") {
		t.Errorf("got %q, want a line of a Go benchmark", got)
	}
}

// TestJudge judges the least of several runs. A plan may read the list of instances again.
func TestJudge(t *testing.T) {
	t.Parallel()
	start := func(megabytes float64) result {
		return result{name: "Start", metrics: map[string]float64{"program-MB": megabytes}}
	}
	plan := func(requests float64, wall time.Duration) result {
		return result{name: "Plan/full/n=1000", wall: wall, metrics: map[string]float64{"requests": requests, "peak-MiB": 50, "provider-ms/resource": 1}}
	}
	const others = "held    Plan/full/n=1000: 1 provider-ms/resource, at most 2.5\n"
	const memory = "held    Plan/full/n=1000: 50 peak-MiB, at most 60\n"
	for name, c := range map[string]struct {
		results []result
		held    bool
		want    string
	}{
		"nothing measured": {nil, true, ""},
		"held once":        {[]result{start(23), start(22), start(24)}, true, "held    Start: 22 program-MB, at most 22\n"},
		"missed":           {[]result{start(22.5)}, false, "MISSED  Start: 22.5 program-MB, at most 22\n"},
		"in 61 s":          {[]result{plan(3032, 61*time.Second)}, true, others + "held    Plan/full/n=1000: 3032 requests, at most 3032\n" + memory},
		"in 59 s":          {[]result{plan(3032, 59*time.Second)}, false, others + "MISSED  Plan/full/n=1000: 3032 requests, at most 3026\n" + memory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			held := judge(&out, c.results)
			if diff := cmp.Diff(c.want, out.String()); diff != "" || held != c.held {
				t.Errorf("held: got %t, want %t (-want +got):\n%s", held, c.held, diff)
			}
		})
	}
}

func TestLongestChain(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	at := func(instance string, from, to int) work {
		return work{instance, begin.Add(time.Duration(from) * time.Second), begin.Add(time.Duration(to) * time.Second)}
	}
	for name, row := range map[string]struct {
		works []work
		want  time.Duration
	}{
		"nothing":                         {nil, 0},
		"one after the other":             {[]work{at("a", 0, 10), at("a", 10, 15), at("a", 20, 22)}, 17 * time.Second},
		"in any order":                    {[]work{at("a", 20, 22), at("a", 0, 10), at("a", 10, 15)}, 17 * time.Second},
		"a build beside jobs":             {[]work{at("a", 0, 10), at("a", 10, 100), at("a", 11, 16), at("a", 20, 25), at("a", 101, 102)}, 101 * time.Second},
		"jobs that outweigh a build":      {[]work{at("a", 0, 10), at("a", 5, 12), at("a", 10, 20)}, 20 * time.Second},
		"another instance's do not count": {[]work{at("a", 0, 10), at("b", 10, 22), at("a", 10, 11)}, 12 * time.Second},
		"of no length":                    {[]work{at("a", 0, 0), at("a", 0, 5), at("a", 5, 5)}, 5 * time.Second},
	} {
		if got := longestChain(row.works); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	const of = `{"type":"hosting_allowlist","instances":[{"attributes":{"instance_id":"i-x7"}}]},` +
		`{"module":"bench-00000","type":"hosting_instance","instances":[{"attributes":{"id":"i-x7"}}]}`
	got, err := spread([]byte(`{"resources":[`+of+`],"version":4}`), 2)
	want := `{"resources":[` + strings.ReplaceAll(of, "i-x7", "i-bench-00000") + "," +
		strings.ReplaceAll(strings.ReplaceAll(of, "bench-00000", "bench-00001"), "i-x7", "i-bench-00001") + `],"version":4}`
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestPlansOfTwo plans two instances with everything: the state that is copied from one row
// must lead to an empty plan.
func TestPlansOfTwo(t *testing.T) {
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || cli == "" {
		machine.Lacks(t, "plans run only with TF_ACC=1 and TF_ACC_TERRAFORM_PATH")
	}
	t.Chdir("../..")
	b := &bench{cli: cli, sizes: []int{2}, count: 1}
	if err := b.build(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(b.folder) })
	results := map[string]result{}
	keep := func(r result) { results[r.name] = r }
	for _, run := range []func() error{func() error { return b.plan(t.Context(), keep) }, func() error { return b.start(t.Context(), keep) }} {
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Plan/alone/n=2", "Plan/full/n=2"} {
		for unit, value := range results[name].metrics {
			if value <= 0 && unit != "peak-MiB" {
				t.Errorf("%s: got %g %s, want more", name, value, unit)
			}
		}
	}
	if kibibytes := results["Start"].metrics["schema-KiB"]; kibibytes < 10 || len(results) != 3 {
		t.Errorf("got a schema of %g KiB and %d results, want at least 10 and 3", kibibytes, len(results))
	}
}
