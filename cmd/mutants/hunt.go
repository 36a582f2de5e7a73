package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A net is a suite of tests that may catch a mistake.
type net struct {
	name   string
	folder string // empty for the folder of the mistake
	args   []string
	limit  time.Duration // which ends a mistake that never ends
}

// nets returns all nets in their order: the unit tests of the mistake's own package, those
// of the whole provider, which use the client and each part, the situations of public
// reports, and the stories and a number of worlds of the simulation.
func nets(worlds int) []net {
	quick := []string{"-short", "-parallel=64"} // many at the same time, because some wait
	// With -trimpath, unchanged packages come from the build cache, wherever the copy of the
	// tree is. Other tests read their own files.
	return []net{
		{name: "unit", args: quick},
		{name: "provider", folder: "internal/provider", args: quick},
		{name: "reports", folder: "internal/reports", args: quick},
		{name: "stories", folder: "internal/simulation", args: []string{"-trimpath", "-run=^TestStories$"}},
		{name: "worlds", folder: "internal/simulation", args: []string{"-trimpath", "-run=^TestSim$", "-args", "-sim.seed=1", "-sim.runs=" + strconv.Itoa(worlds)}},
	}
}

// A hunt tries mistakes, and prints the result of each as it is known and a summary.
type hunt struct {
	nets []net // in the order in which they are cast
	all  bool  // whether the other nets are cast after one has caught a mistake
	out  io.Writer

	mu     sync.Mutex
	limits map[string]time.Duration // of each net in a folder
}

// A fate is the result of a mistake.
type fate struct {
	name     string
	compiles bool
	by       []string // the nets that caught it
}

// run tries the first mistakes that compile, up to a number of them, and some at the same
// time. It returns how many were tried and caught.
func (h *hunt) run(ctx context.Context, tree string, mistakes []mistake, size, jobs int) (tried, caught int, err error) {
	root, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = os.RemoveAll(root)                                                         // the system deletes the rest
		_, _, _ = output(context.WithoutCancel(ctx), tree, "git", "worktree", "prune") // as git does itself in time
	}()
	copies := make(chan string, jobs)
	for i := range jobs {
		at := filepath.Join(root, strconv.Itoa(i))
		if said, ok, err := output(ctx, tree, "sh", "-c", `git worktree add --quiet --detach "$0" $(git stash create)`, at); !ok {
			return 0, 0, fmt.Errorf("copy what git knows of the tree: %w: %s", err, said)
		}
		copies <- at
	}
	var fates []fate
	for tried < size && len(fates) < len(mistakes) {
		batch := make([]fate, min(size-tried, len(mistakes)-len(fates)))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(jobs)
		for i := range batch {
			group.Go(func() (err error) {
				at := <-copies
				batch[i], err = h.try(ctx, at, mistakes[len(fates)+i])
				copies <- at
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return 0, 0, err
		}
		fates = append(fates, batch...)
		tried, _ = h.summarise(io.Discard, fates)
	}
	tried, caught = h.summarise(h.out, fates)
	return tried, caught, nil
}

// try plants a mistake in a copy of the tree, and casts the nets. The copy becomes clean
// again, without the random cases that rapid keeps.
func (h *hunt) try(ctx context.Context, tree string, m mistake) (f fate, err error) {
	f.name = m.name
	var nets []net
	for _, n := range h.nets {
		if n.folder == path.Dir(m.file) {
			continue // the first net is the same
		}
		n.folder = cmp.Or(n.folder, path.Dir(m.file))
		if n.limit, err = h.limit(ctx, tree, n); err != nil {
			return f, err
		}
		nets = append(nets, n)
	}
	defer func() {
		_, _, cleanErr := output(context.WithoutCancel(ctx), tree, "sh", "-c", "git checkout -q -- . && git clean -fdxq")
		err = errors.Join(err, cleanErr)
	}()
	if err := m.plant(ctx, tree); err != nil {
		return f, err
	}
	said, compiles, err := output(ctx, tree, "go", "build", "-trimpath", "./internal/...")
	result := "NOT CAUGHT"
	if f.compiles = compiles; !compiles {
		nets, result = nil, "DOES NOT COMPILE"
	}
	for _, n := range nets {
		out, passes, castErr := cast(ctx, tree, n)
		if err = castErr; err == nil && !passes {
			f.by, said = append(f.by, n.name), out
			result = strings.Join(f.by, ", ")
		}
		if err != nil || !passes && !h.all {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		fmt.Fprintf(h.out, "%s: %s\n", m.name, result)
	}
	if said = evidence(said); err == nil && said != "" && !h.all {
		fmt.Fprintf(h.out, "    %s\n", strings.ReplaceAll(said, "\n", "\n    "))
	}
	return f, err
}

// limit returns the time limit of a net, which it measures once. The tests must pass with
// nothing planted.
func (h *hunt) limit(ctx context.Context, tree string, n net) (time.Duration, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := n.name + " " + n.folder
	if h.limits[key] == 0 {
		begun := time.Now()
		n.limit = time.Hour
		if said, passes, err := cast(ctx, tree, n); err != nil || !passes {
			return 0, errors.Join(err, fmt.Errorf("the tests of %s fail with nothing planted:\n%s", key, evidence(said)))
		}
		h.limits[key] = (time.Minute + 3*time.Since(begun)).Round(time.Second)
	}
	return h.limits[key], nil
}

// cast runs the tests of a net, with those of each change.
func cast(ctx context.Context, tree string, n net) (said string, passes bool, err error) {
	test := []string{"TF_ACC=1", "go", "test", "-count=1", "-vet=off", "-failfast", "-timeout=" + n.limit.String(), "./" + n.folder}
	return output(ctx, tree, "env", append(test, n.args...)...)
}

// output runs a program and reports whether it succeeded. The error says that it did not
// start, or was interrupted.
func output(ctx context.Context, folder, name string, args ...string) (said string, ok bool, err error) {
	program := exec.CommandContext(ctx, name, args...)
	program.Dir = folder
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) } // Ctrl-C in a terminal reaches the tests, too
	program.WaitDelay = 10 * time.Second
	out, err := program.CombinedOutput()
	var exit *exec.ExitError
	if ctx.Err() != nil || errors.As(err, &exit) {
		return string(out), false, ctx.Err()
	}
	return string(out), err == nil, err
}

// failure matches what says most: the smallest scenario that violates a world, or the name
// of a failed test.
var failure = regexp.MustCompile(`(?m)^(?:VIOLATION .+\nFOUND .+\nSCENARIO .+\n(?:.+\n)*|--- FAIL: \S+|panic: .+|fatal error: .+)`)

// evidence returns the part of an output that says most.
func evidence(said string) string { return strings.TrimSpace(cmp.Or(failure.FindString(said), said)) }

// summarise prints a summary. It returns how many mistakes compile, and how many were caught.
func (h *hunt) summarise(out io.Writer, fates []fate) (tried, caught int) {
	by, alone := map[string]int{}, map[string]int{}
	var others strings.Builder
	for _, f := range fates {
		switch {
		case !f.compiles:
			fmt.Fprintf(&others, "Does not compile: %s\n", f.name)
			continue
		case len(f.by) == 0:
			fmt.Fprintf(&others, "Not caught: %s\n", f.name)
		case len(f.by) == 1:
			alone[f.by[0]]++
		}
		tried++
		caught += min(1, len(f.by))
		for _, name := range f.by {
			by[name]++
		}
	}
	fmt.Fprintf(out, "\n%d of %d mistakes were caught, %.1f %%.\n", caught, tried, 100*float64(caught)/float64(max(1, tried)))
	for _, n := range h.nets {
		fmt.Fprintf(out, "By %s: %d, and by no other: %d.\n", n.name, by[n.name], alone[n.name])
	}
	fmt.Fprint(out, others.String())
	return tried, caught
}
