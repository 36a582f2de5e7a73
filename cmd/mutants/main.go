// Command mutants plants mistakes into a copy of the project, one at a time, and checks
// that its tests find them.
//
//	mutants generated [-n N] [-seed S] [-in PATTERN] [-only PATTERN] [-runs N] [-min PERCENT]
//	mutants patches [-runs N] [-seed S] [-only PATTERN] [-jobs N] [-timeout D] [-control=false]
//
// "generated" draws small changes of the syntax of the client and the provider: a condition
// negated, a statement dropped. Each is judged by the unit tests of its package, by those of
// internal/provider, and by the stories and worlds of the simulation. It exits with 1 when
// fewer than -min percent are caught. Mutants that are listed in equivalent.txt are not drawn.
//
// "patches" plants known bugs, the patches in internal/simulation/mutants. The simulated
// worlds must find each of them. First the worlds run with nothing planted, which
// -control=false leaves out. It exits with 1 if a bug was not caught, or a patch does not
// apply or not compile.
//
// Run it in the repository's root, as `make mutants` and `make sim-mutants` do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	good, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !good {
		os.Exit(1)
	}
}

// run executes a command line and reports whether enough was caught. Unknown flags end the
// program.
func run(ctx context.Context, args []string) (good bool, err error) {
	if len(args) == 0 {
		return false, errors.New("use mutants generated or mutants patches")
	}
	flags := flag.NewFlagSet("mutants "+args[0], flag.ExitOnError)
	pattern := func(name, usage string) **regexp.Regexp {
		p := regexp.MustCompile("")
		flags.Func(name, usage, func(text string) (err error) {
			p, err = regexp.Compile(text)
			return err
		})
		return &p
	}
	switch args[0] {
	case "generated":
		s := sampling{tree: "."}
		in := pattern("in", "draw only from the files whose paths match this `pattern`")
		only := pattern("only", "draw only mutants whose names match this `pattern`")
		flags.IntVar(&s.size, "n", 100, "number of mutants that compile to try")
		flags.Uint64Var(&s.seed, "seed", uint64(time.Now().Unix()), "the seed of the sample")
		flags.IntVar(&s.runs, "runs", 500, "maximum number of worlds for each mutant; always the same worlds")
		flags.Float64Var(&s.least, "min", 0, "the percentage that has to be caught")
		if err := parse(flags, args[1:]); err != nil {
			return false, err
		}
		s.in, s.only = *in, *only
		return s.run(ctx, os.Stdout)
	case "patches":
		o := options{tree: "."}
		only := pattern("only", "try only the patches whose names match this `pattern`")
		flags.IntVar(&o.jobs, "jobs", 1, "number of patches to try at the same time")
		flags.IntVar(&o.runs, "runs", 2000, "maximum number of worlds for each patch")
		flags.Uint64Var(&o.seed, "seed", 1, "the seed of the first world")
		flags.DurationVar(&o.timeout, "timeout", 30*time.Minute, "time limit for the worlds of one patch")
		flags.BoolVar(&o.control, "control", true, "first run the world without a planted bug")
		if err := parse(flags, args[1:]); err != nil {
			return false, err
		}
		if o.jobs < 1 {
			return false, errors.New("-jobs must be at least 1")
		}
		o.only = *only
		return hunt(ctx, o, os.Stdout)
	}
	return false, fmt.Errorf("%s is neither generated nor patches", args[0])
}

func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q", flags.Name(), flags.Arg(0))
	}
	return nil
}
