// Command bench measures the provider's cost, each time together with its floor, and prints
// tables. They cover plans without changes, applies, processes that share a limit
// of requests, the start, and large accounts. README.md explains each table and its
// targets.
//
//	bench [-cli PATH] [-run NAMES] [-n SIZES] [-strict] ...
//
// Run it in the repository's root, as `make bench` does. It builds the programs that it
// needs into a temporary folder. It stores the numbers as JSON in the folder of -folder. It
// exits with 1 if something could not be measured. With -strict it also does so if a target
// was missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
)

// options selects the measurements.
type options struct {
	tree     string // the project's root
	cli      string // the program of the CLI
	run      []string
	sizes    []int // of plans; empty means each table's default
	repeats  int   // of each run; 0 means by size
	shapes   []shape
	contents []string
	folder   string // for the JSON report
	strict   bool
	flags    []string // of the builds
}

func parse(arguments []string, errs io.Writer) (options, error) {
	o := options{tree: ".", flags: asReleased}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.cli, "cli", ".bin/terraform", "Terraform or OpenTofu to run")
	run := flags.String("run", "", "tables to measure: "+strings.Join(tableNames(), ", ")+"; default: all")
	sizes := flags.String("n", "", "numbers of instances in a plan, such as 10,100,1000; default: chosen by each table")
	flags.IntVar(&o.repeats, "repeats", 0, "repeats of each run; default: more for smaller runs")
	shapes := flags.String("shapes", "count,for_each,module", "how the configurations of the table plan repeat instances")
	has := flags.String("contents", "alone,full", "objects for each instance in the table plan: alone, settings (allowlist, console mode, auth settings, app) or full (also a database)")
	flags.StringVar(&o.folder, "folder", ".bench", "folder for the results as JSON")
	flags.BoolVar(&o.strict, "strict", false, "exit with 1 if a target is missed")
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o.run, o.contents = words(*run), words(*has)
	for _, name := range o.run {
		if !slices.Contains(tableNames(), name) {
			return o, fmt.Errorf("-run: there is no table %q; there are %s", name, strings.Join(tableNames(), ", "))
		}
	}
	for _, name := range o.contents {
		if !slices.Contains([]string{"alone", "settings", "full"}, name) {
			return o, fmt.Errorf("-contents: %q is not one of alone, settings and full", name)
		}
	}
	for _, name := range words(*shapes) {
		if !slices.Contains([]shape{byCount, byForEach, byModule}, shape(name)) {
			return o, fmt.Errorf("-shapes: %q is not one of count, for_each and module", name)
		}
		o.shapes = append(o.shapes, shape(name))
	}
	for _, word := range words(*sizes) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 100_000 {
			return o, fmt.Errorf("-n: %q is not a size from 1 to 100000", word)
		}
		o.sizes = append(o.sizes, n)
	}
	if len(o.shapes) == 0 || len(o.contents) == 0 || o.repeats < 0 {
		return o, errors.New("-shapes and -contents must name one or more, and -repeats must not be negative")
	}
	return o, nil
}

// words returns the words of a list with commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	tables, err := measure(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if o.strict && slices.ContainsFunc(tables, (*table).missed) {
		os.Exit(1)
	}
}

// missed reports whether a target of the table was missed.
func (t *table) missed() bool { return slices.ContainsFunc(t.Targets, target.missed) }

// benchmarks make the tables, in the order in which they are measured.
var benchmarks = []struct {
	name    string
	measure func(*bench) (*table, error)
}{
	{"start", (*bench).start},
	{"plan", (*bench).plan},
	{"refreshes", (*bench).refreshes},
	{"account", (*bench).account},
	{"crowd", (*bench).crowd},
	{"apply", (*bench).apply},
}

func tableNames() []string {
	names := make([]string, 0, len(benchmarks))
	for _, b := range benchmarks {
		names = append(names, b.name)
	}
	return names
}

// A bench is one run of the program.
type bench struct {
	options
	ctx       context.Context // of the whole run: its end stops every step
	programs  programs
	folder    string // temporary files of the run
	cliConfig string
	progress  io.Writer
}

// newBench builds the programs. The caller must remove the bench.
func newBench(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	b := &bench{options: o, ctx: ctx, progress: progress}
	var err error
	if b.tree, err = filepath.Abs(o.tree); err != nil {
		return nil, err
	}
	// A relative path would be looked up in each workspace's folder.
	if b.cli, err = exec.LookPath(o.cli); err != nil {
		return nil, err
	}
	if b.cli, err = filepath.Abs(b.cli); err != nil {
		return nil, err
	}
	if b.folder, err = os.MkdirTemp("", "hosting-bench-"); err != nil {
		return nil, err
	}
	b.say("Building the programs.")
	if b.programs, err = buildPrograms(ctx, b.tree, filepath.Join(b.folder, "programs"), o.flags); err != nil {
		b.remove()
		return nil, err
	}
	b.cliConfig = filepath.Join(b.folder, "cli.tfrc")
	if err := os.WriteFile(b.cliConfig, []byte(cliconfig.DevOverrides(b.programs.plugins)), 0o600); err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

func (b *bench) remove() { _ = os.RemoveAll(b.folder) } // the system deletes the rest

// say prints the progress, apart from the tables.
func (b *bench) say(format string, arguments ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", arguments...)
}

// measure makes the tables, prints each when it is done, and stores all of them.
func measure(ctx context.Context, o options, out, progress io.Writer) (tables []*table, err error) {
	b, err := newBench(ctx, o, progress)
	if err != nil {
		return nil, err
	}
	defer b.remove()
	r := report{head: head{
		Date: time.Now(), Command: strings.Join(append([]string{"bench"}, os.Args[1:]...), " "),
		Machine: thisMachine(), Revision: revision(b.tree),
	}}
	if r.CLI, err = cliVersion(ctx, b.cli); err != nil {
		return nil, err
	}
	r.Go = runtime.Version()
	r.print(out)
	for _, benchmark := range benchmarks {
		if len(o.run) > 0 && !slices.Contains(o.run, benchmark.name) {
			continue
		}
		made, err := benchmark.measure(b)
		if err != nil {
			return r.Tables, fmt.Errorf("%s: %w", benchmark.name, err)
		}
		if err := made.print(out); err != nil {
			return r.Tables, err
		}
		r.Tables = append(r.Tables, made)
	}
	name, err := r.keep(o.folder)
	if err == nil {
		b.say("Kept in %s.", name)
	}
	return r.Tables, err
}
