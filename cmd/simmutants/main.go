// Command simmutants plants known bugs into a copy of the project, one at a
// time, and looks whether the simulated world finds each of them.
//
//	simmutants [-runs N] [-seed S] [-only PATTERN] [-jobs N] [-timeout D] [-control=false]
//
// A bug is a patch in internal/simulation/mutants. Before the first of them the
// world is run with nothing planted: one that is violated then proves nothing.
// -control=false leaves that out.
//
// It is run in the repository's root, as `make sim-mutants` does. It exits with
// 1 when a bug was not caught, or a patch does not apply or not compile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// options say what is tried, and how.
type options struct {
	tree    string         // the project's root
	only    *regexp.Regexp // the names of the patches to try
	jobs    int            // how many are tried at a time
	runs    int            // of the world, for each of them
	seed    uint64         // the first run's
	timeout time.Duration  // for all runs of one patch
	control bool           // whether the world is run with nothing planted first
}

func main() {
	o := options{tree: "."}
	only := flag.String("only", "", "regular expression; try only patches with a matching name")
	flag.IntVar(&o.jobs, "jobs", 1, "number of patches to try at the same time")
	flag.IntVar(&o.runs, "runs", 2000, "maximum number of worlds for each patch")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the first world")
	flag.DurationVar(&o.timeout, "timeout", 30*time.Minute, "time limit for the worlds of one patch")
	flag.BoolVar(&o.control, "control", true, "first run the worlds without any patch")
	flag.Parse()
	var err error
	if o.only, err = regexp.Compile(*only); err != nil || flag.NArg() > 0 || o.jobs < 1 {
		fmt.Fprintln(os.Stderr, errors.Join(err, errors.New("use simmutants [-runs N] [-seed S] [-only PATTERN] [-jobs N] [-timeout D] [-control=false], with at least one job")))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	all, err := hunt(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !all {
		os.Exit(1)
	}
}

// hunt tries the patches and prints what became of each as it is known, and a
// summary. It tells whether all of them were caught.
func hunt(ctx context.Context, o options, out io.Writer) (all bool, err error) {
	patches, err := readPatches(o.tree, o.only)
	if err != nil {
		return false, err
	}
	if o.control {
		if err := control(ctx, o, out); err != nil {
			return false, err
		}
	}
	waiting := make(chan patch)
	judged := make(chan verdict)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(waiting)
		for _, p := range patches {
			select {
			case waiting <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range min(o.jobs, len(patches)) {
		group.Go(func() error { return try(ctx, o, waiting, judged) })
	}
	ended := make(chan error)
	go func() {
		err := group.Wait()
		close(judged)
		ended <- err
	}()
	var verdicts []verdict
	for v := range judged {
		v.print(out)
		verdicts = append(verdicts, v)
	}
	if err := <-ended; err != nil {
		return false, err
	}
	summarise(verdicts).print(out)
	return summarise(verdicts).good(), nil
}

// control runs the world with nothing planted.
func control(ctx context.Context, o options, out io.Writer) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.remove()
	v, err := b.judge(ctx)
	if err != nil {
		return err
	}
	if v.outcome != missed {
		v.name = "(nothing planted)"
		v.print(out)
		return errors.New("the world is violated, or does not run, with nothing planted; mend that first")
	}
	fmt.Fprintf(out, "Nothing planted, and nothing found in %d runs.\n\n", o.runs)
	return nil
}

// try tries the patches that are waiting, one after the other, on a copy of the
// tree of its own.
func try(ctx context.Context, o options, waiting <-chan patch, judged chan<- verdict) error {
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	defer b.remove()
	for p := range waiting {
		v, err := b.try(ctx, p)
		if err != nil {
			return err
		}
		judged <- v
	}
	return nil
}
