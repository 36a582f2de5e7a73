package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// worldsSeed is the seed of the first of the worlds that judge a mutant.
const worldsSeed = 1

// A sampling says which mutants are drawn, and how many must be caught.
type sampling struct {
	tree  string         // the project's root
	in    *regexp.Regexp // the paths of the files to draw from
	only  *regexp.Regexp // the names of the mutants to draw from
	size  int            // the number of compiling mutants to try
	seed  uint64
	runs  int     // of the world, for each mutant
	least float64 // the percentage that must be caught
}

// run tries a sample of mutants and prints the result of each, and a summary. It reports
// whether enough of them were caught.
func (s sampling) run(ctx context.Context, out io.Writer) (enough bool, err error) {
	b, err := newBench(ctx, s.tree)
	if err != nil {
		return false, err
	}
	defer b.remove()
	drawn, err := s.draw(b.code)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out, "%d mutants to draw from, seed %d.\n", len(drawn), s.seed)
	j := judges{bench: b, runs: s.runs, limits: map[string]time.Duration{}}
	var total tally
	for _, m := range drawn {
		if total.tried == s.size {
			break
		}
		begun := time.Now()
		f, err := j.try(ctx, m)
		if err != nil {
			return false, err
		}
		f.took = time.Since(begun)
		f.print(out)
		total.add(f)
	}
	total.print(out)
	return total.percent() >= s.least, nil
}

// draw returns all mutants that are not known to be equivalent, in the order of the seed.
func (s sampling) draw(files code) ([]mutant, error) {
	known, err := parseEquivalents(equivalents)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !s.in.MatchString(file) {
			continue
		}
		mutants, err := mutantsOf(file, files[file])
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(mutants, func(m mutant) bool {
			return known[m.String()] != "" || !s.only.MatchString(m.String())
		})...)
	}
	random := rand.New(rand.NewPCG(s.seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all, nil
}

// judges try mutants one after the other, with the tests of the folders that judgesOf
// returns. The first failure catches the mutant.
type judges struct {
	bench  *bench
	runs   int
	limits map[string]time.Duration // of each folder's tests, measured with nothing planted
}

// A fate is the result of a mutant.
type fate struct {
	mutant
	outcome outcome // caught, missed or notCompiled
	by      string  // the judge that caught it
	took    time.Duration
}

// try plants a mutant, judges it and removes it.
func (j judges) try(ctx context.Context, m mutant) (fate, error) {
	for _, folder := range judgesOf(m.file) {
		if err := j.limit(ctx, folder); err != nil {
			return fate{}, err
		}
	}
	changed := code{m.file: m.apply(j.bench.code[m.file])}
	if err := j.bench.plant(changed); err != nil {
		return fate{}, err
	}
	f, err := j.judge(ctx, judgesOf(m.file))
	f.mutant = m
	return f, errors.Join(err, j.bench.takeOut(changed))
}

// judgesOf returns the folders whose tests judge a mutant of a file, in their order: its
// own, that of the whole provider, whose tests use the client and each part, and the
// simulated worlds.
func judgesOf(file string) []string {
	folders := []string{path.Dir(file)}
	if folders[0] != providerFolder {
		folders = append(folders, providerFolder)
	}
	return append(folders, worldsFolder)
}

const providerFolder = "internal/provider"

// limit measures the time limit for the tests of a folder, which ends a mutant that never
// ends. The tests must pass with nothing planted.
func (j judges) limit(ctx context.Context, folder string) error {
	if j.limits[folder] > 0 {
		return nil
	}
	begun := time.Now()
	said, outcome, err := j.run(ctx, folder, time.Hour)
	if err != nil {
		return err
	}
	if outcome != missed {
		return fmt.Errorf("%s fails with nothing planted:\n%s", folder, strings.Join(lastLines(said), "\n"))
	}
	j.limits[folder] = (time.Minute + 3*time.Since(begun)).Round(time.Second)
	return nil
}

func (j judges) judge(ctx context.Context, folders []string) (fate, error) {
	for _, folder := range folders {
		said, outcome, err := j.run(ctx, folder, j.limits[folder])
		if err != nil || outcome != missed {
			return fate{outcome: outcome, by: whatFailed(folder, said)}, err
		}
	}
	return fate{outcome: missed}, nil
}

// run runs the stories and the worlds, or the tests of another folder like `make quick`:
// many concurrently, because some wait.
func (j judges) run(ctx context.Context, folder string, limit time.Duration) (said string, outcome outcome, err error) {
	if folder == worldsFolder {
		return j.bench.worlds(ctx, "^(TestStories|TestSim)$", j.runs, worldsSeed, limit)
	}
	return j.bench.test(ctx, folder, limit, "-test.failfast", "-test.short", "-test.parallel=64")
}

var (
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	timedOut   = regexp.MustCompile(`(?m)^panic: (test timed out after .+)$`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.+)$`)
)

// whatFailed names the judge that caught a mutant, from its output.
func whatFailed(folder, said string) string {
	if v := judge(said, true, 0); v.outcome == caught {
		return fmt.Sprintf("the worlds: %s, after %d runs", v.check, v.runs)
	}
	who := "the tests of " + folder
	if folder == worldsFolder {
		who = "the worlds"
	}
	for _, pattern := range []*regexp.Regexp{timedOut, failedTest, panicked} {
		if what := pattern.FindStringSubmatch(said); what != nil {
			return who + ": " + what[1]
		}
	}
	return who
}

// print writes the location, the change and the result of a mutant.
func (f fate) print(out io.Writer) {
	became := "NOT CAUGHT"
	switch f.outcome {
	case caught:
		became = "caught by " + f.by
	case notCompiled:
		became = "does not compile, so it is not counted"
	}
	fmt.Fprintf(out, "%s:%d: %s\n    %s (%.0f s)\n", f.file, f.line, f.mutant, became, f.took.Seconds())
}

// A tally is the result of a sample.
type tally struct {
	tried, caught, notCompiled int
	by                         map[string]int // the number that each judge caught
	survivors                  []fate
	took                       time.Duration
}

func (t *tally) add(f fate) {
	t.took += f.took
	if f.outcome == notCompiled {
		t.notCompiled++
		return
	}
	t.tried++
	if f.outcome != caught {
		t.survivors = append(t.survivors, f)
		return
	}
	t.caught++
	if t.by == nil {
		t.by = map[string]int{}
	}
	judge, _, _ := strings.Cut(f.by, ":")
	t.by[judge]++
}

// percent returns the percentage of tried mutants that were caught, or 100 if none were
// tried.
func (t *tally) percent() float64 {
	if t.tried == 0 {
		return 100
	}
	return 100 * float64(t.caught) / float64(t.tried)
}

func (t *tally) print(out io.Writer) {
	fmt.Fprintf(out, "\n%d of %d mutants were caught, %.1f %%, in %.0f s for each. %d more did not compile.\n",
		t.caught, t.tried, t.percent(), t.took.Seconds()/float64(max(1, t.tried)), t.notCompiled)
	for _, judge := range slices.Sorted(maps.Keys(t.by)) {
		fmt.Fprintf(out, "Caught by %s: %d.\n", judge, t.by[judge])
	}
	if len(t.survivors) > 0 {
		fmt.Fprintln(out, "Not caught:")
	}
	for _, f := range t.survivors {
		fmt.Fprintf(out, "%s:%d: %s\n", f.file, f.line, f.mutant)
	}
}
