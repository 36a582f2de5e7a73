// Command bench measures what the provider costs: its start, plans without changes, applies,
// and what an apply waits for. It prints lines in the format of Go benchmarks, of which
// benchstat compares two files, and the targets that were held and missed.
//
//	bench [-cli PATH] [-run NAMES] [-n SIZES] [-count N] [-strict]
//
// Run it in the repository's root, as `make bench` does. With -strict it exits with 1 if a
// target was missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
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
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
)

// A result is the cost of one run of a benchmark.
type result struct {
	name    string // such as Plan/full/n=100
	wall    time.Duration
	metrics map[string]float64 // by unit
}

// String returns the result as Go prints a benchmark.
func (r result) String() string {
	line := fmt.Sprintf("Benchmark%s-%d\t1\t%d ns/op", r.name, runtime.GOMAXPROCS(0), r.wall.Nanoseconds())
	for _, unit := range slices.Sorted(maps.Keys(r.metrics)) {
		line += fmt.Sprintf("\t%.6g %s", r.metrics[unit], unit)
	}
	return line
}

// A bench is one run of the program.
type bench struct {
	folder    string // the built programs and the temporary files
	cli       string
	cliConfig string
	sizes     []int // of plans
	count     int   // the repeats of each
}

type benchmark struct {
	name string
	run  func(*bench, context.Context, func(result)) error
}

// benchmarks are in the order in which they run. Each passes its results on.
var benchmarks = []benchmark{{"start", (*bench).start}, {"plan", (*bench).plan}, {"apply", (*bench).apply}, {"wait", (*bench).wait}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	held, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	if err != nil || !held {
		os.Exit(1)
	}
}

// run measures, and reports whether the targets were held or need not be.
func run(ctx context.Context, args []string) (held bool, err error) {
	b := &bench{}
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.StringVar(&b.cli, "cli", "terraform", "Terraform or OpenTofu to run")
	names := flags.String("run", "", "benchmarks to run: start, plan, apply, wait; default: all")
	sizes := flags.String("n", "", "numbers of instances in a plan; default: 10,100,1000")
	flags.IntVar(&b.count, "count", 1, "how often each is repeated")
	strict := flags.Bool("strict", false, "exit with 1 if a target is missed")
	_ = flags.Parse(args) // an error ends the program
	for _, word := range words(*sizes, "10,100,1000") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 100_000 {
			return false, fmt.Errorf("-n: %q is not a size from 1 to 100000", word)
		}
		b.sizes = append(b.sizes, n)
	}
	if err := b.build(); err != nil {
		return false, err
	}
	defer os.RemoveAll(b.folder) // the system deletes the rest
	fmt.Printf("goos: %s\ngoarch: %s\npkg: github.com/instance-hosting/terraform-provider-hosting\n", runtime.GOOS, runtime.GOARCH)
	var results []result
	for _, name := range words(*names, "") {
		if !slices.ContainsFunc(benchmarks, func(one benchmark) bool { return one.name == name }) {
			return false, fmt.Errorf("-run: there is no benchmark %q", name)
		}
	}
	for _, one := range benchmarks {
		if !slices.Contains(words(*names, one.name), one.name) {
			continue
		}
		err := one.run(b, ctx, func(r result) {
			fmt.Println(r)
			results = append(results, r)
		})
		if err != nil {
			return false, fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return judge(os.Stdout, results) || !*strict, nil
}

// words returns the words of a list with commas, or of another if it is empty.
func words(list, otherwise string) []string {
	if list == "" {
		list = otherwise
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// build builds the provider like a release.
func (b *bench) build() (err error) {
	// A relative path would be looked up in the folder of each configuration.
	if b.cli, err = exec.LookPath(b.cli); err == nil {
		b.cli, err = filepath.Abs(b.cli)
	}
	if err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "hosting-bench-"); err != nil {
		return err
	}
	b.cliConfig = filepath.Join(b.folder, "cli.tfrc")
	if err := os.WriteFile(b.cliConfig, []byte(cliconfig.DevOverrides(b.folder)), 0o600); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.provider(), ".") //nolint:noctx // it ends by itself
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the provider: %w\n%s", err, said)
	}
	return nil
}

func (b *bench) provider() string { return filepath.Join(b.folder, program.Provider) }
