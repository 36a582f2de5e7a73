// Command mutants plants mistakes into copies of the project and checks that its tests catch
// them.
//
//	mutants generated [-n N] [-seed S] [-in PATTERN] [-only PATTERN] [-min PERCENT] [-runs N] [-jobs N] [-all]
//	mutants patches [-only PATTERN] [-runs N] [-jobs N] [-all]
//
// "generated" draws small changes of the syntax of the client and the provider, such as a
// condition negated or a statement dropped, but none that equivalent.txt lists. The nets
// judge them, one after the other, until one catches the mistake. "patches" plants the known
// bugs of internal/simulation/mutants. The simulated worlds must catch each of them. With
// -all, all nets judge every mistake, and the output names those that catch it.
//
// Gremlins v0.6.0 cannot replace it: it judges a mutant by the tests of its package or by all
// tests, and it has no sample by seed, no list of equivalent mutants, and no mutants that drop
// a statement or ignore an error.
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

// run executes a command line in the project's root. It reports whether enough was caught.
func run(ctx context.Context, args []string) (good bool, err error) {
	h := hunt{out: os.Stdout, limits: map[string]time.Duration{}}
	flags := flag.NewFlagSet("mutants generated|patches", flag.ExitOnError)
	var in, only regexp.Regexp
	flags.TextVar(&in, "in", regexp.MustCompile(""), "draw only from the files whose paths match this `pattern`")
	flags.TextVar(&only, "only", regexp.MustCompile(""), "try only the mistakes whose names match this `pattern`")
	size := flags.Int("n", 100, "number of generated mutants that compile to try")
	seed := flags.Uint64("seed", uint64(time.Now().Unix()), "the seed of the sample of generated mutants")
	least := flags.Float64("min", 0, "the percentage of generated mutants that must be caught")
	runs := flags.Int("runs", 500, "maximum number of worlds for each mistake; always the same worlds")
	jobs := flags.Int("jobs", 1, "number of mistakes to try at the same time")
	flags.BoolVar(&h.all, "all", false, "let all nets judge every mistake, and name those that catch it")
	_ = flags.Parse(args[min(1, len(args)):]) // an error ends the program
	h.nets = nets(*runs)
	var mistakes []mistake
	switch kind := append(args, "")[0]; kind {
	case "generated":
		mistakes, err = draw(ctx, ".", *seed, &in, &only)
		fmt.Fprintf(h.out, "%d mutants to draw from, seed %d.\n", len(mistakes), *seed)
	case "patches":
		mistakes, err = patches(".", &only)
		*size, *least = len(mistakes), 100
		if !h.all {
			h.nets = h.nets[len(h.nets)-1:] // the worlds
		}
	default:
		return false, fmt.Errorf("%q is neither generated nor patches", kind)
	}
	if err == nil && len(mistakes) == 0 {
		err = errors.New("there is no mistake of that name")
	}
	if err != nil {
		return false, err
	}
	tried, caught, err := h.run(ctx, ".", mistakes, *size, *jobs)
	if args[0] == "patches" {
		tried = len(mistakes) // one that does not compile is not caught
	}
	return 100*float64(caught) >= *least*float64(tried), err
}
