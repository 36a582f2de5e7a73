// Command mutants plants known bugs into a copy of the project, one at a time,
// and looks whether the simulated world finds each of them.
//
//	mutants patches [-runs N] [-seed S] [-only PATTERN] [-jobs N] [-timeout D] [-control=false]
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

// run carries out a command line and reports whether enough was caught. Flags
// that are not known end the program.
func run(ctx context.Context, args []string) (good bool, err error) {
	if len(args) == 0 {
		return false, errors.New("use mutants patches")
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
	case "patches":
		o := options{tree: "."}
		only := pattern("only", "try only the patches whose names match this `pattern`")
		flags.IntVar(&o.jobs, "jobs", 1, "how many patches are tried at a time")
		flags.IntVar(&o.runs, "runs", 2000, "how many worlds are run for each patch at most")
		flags.Uint64Var(&o.seed, "seed", 1, "the seed of the first world")
		flags.DurationVar(&o.timeout, "timeout", 30*time.Minute, "how long the worlds of one patch may take")
		flags.BoolVar(&o.control, "control", true, "run the world with nothing planted first")
		if err := parse(flags, args[1:]); err != nil {
			return false, err
		}
		if o.jobs < 1 {
			return false, errors.New("-jobs must be at least 1")
		}
		o.only = *only
		return hunt(ctx, o, os.Stdout)
	}
	return false, fmt.Errorf("%s is not patches", args[0])
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
