package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"golang.org/x/sync/errgroup"
)

// options selects the patches and how to try them.
type options struct {
	tree    string         // The project's root.
	only    *regexp.Regexp // The names of the patches to try.
	jobs    int            // The number of patches that are tried concurrently.
	runs    int            // The number of runs of the world for each of them.
	seed    uint64         // The first run's seed.
	timeout time.Duration  // The time limit for all runs of one patch.
	control bool           // Whether the world first runs with nothing planted.
}

// hunt tries the patches and prints the result of each as it is known, and a summary. It
// reports whether all of them were caught.
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
	b, err := newBench(ctx, o.tree)
	if err != nil {
		return err
	}
	defer b.remove()
	v, err := o.judge(ctx, b)
	if err != nil {
		return err
	}
	if v.outcome != missed {
		v.name = "(nothing planted)"
		v.print(out)
		return errors.New("the world is violated, or does not run, with nothing planted; fix that first")
	}
	fmt.Fprintf(out, "Nothing planted, and nothing found in %d runs.\n\n", o.runs)
	return nil
}

// try tries the waiting patches, one after the other, on its own copy of the tree.
func try(ctx context.Context, o options, waiting <-chan patch, judged chan<- verdict) error {
	b, err := newBench(ctx, o.tree)
	if err != nil {
		return err
	}
	defer b.remove()
	for p := range waiting {
		v, err := o.try(ctx, b, p)
		if err != nil {
			return err
		}
		v.name = p.name
		judged <- v
	}
	return nil
}

// try plants a bug, searches for it and removes it. Its error is a failure of the bench,
// such as an interrupt; the verdict describes errors of the patch.
func (o options) try(ctx context.Context, b *bench, p patch) (verdict, error) {
	changed, err := p.apply(b.code)
	if err != nil {
		return verdict{outcome: notApplied, said: []string{err.Error()}}, nil //nolint:nilerr // the verdict says it
	}
	if err := b.plant(changed); err != nil {
		return verdict{}, err
	}
	v, err := o.judge(ctx, b)
	return v, errors.Join(err, b.takeOut(changed))
}

// judge runs the worlds on the bench as it is.
func (o options) judge(ctx context.Context, b *bench) (verdict, error) {
	said, outcome, err := b.worlds(ctx, "^TestSim$", o.runs, o.seed, o.timeout)
	if err != nil {
		return verdict{}, err
	}
	if outcome == notCompiled {
		return verdict{outcome: notCompiled, said: lastLines(said)}, nil
	}
	return judge(said, outcome == caught, o.runs), nil
}
