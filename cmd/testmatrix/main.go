// Command testmatrix runs the acceptance tests and the examples on several CLIs, one after
// the other, and prints a table of the results.
//
//	testmatrix [-run PATTERN] [-parallel N] [-timeout D] NAME=PATH=OLDEST...
//
// NAME is the table's name for a CLI: terraform or tofu followed by a version, such as
// tofu-1.12. PATH is its program. OLDEST is the program of the oldest CLI of its kind; the
// CLI under test must work with its states.
//
// Run it in the repository's root, as `make test-matrix` does. It exits with 1 if a test
// failed, or was skipped for any reason except the CLI's version.
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
	"slices"
	"strconv"
	"strings"
	"time"
)

// A cli is a program that the tests are run on.
type cli struct{ name, path, oldest string }

func (c cli) isTofu() bool { return strings.HasPrefix(c.name, "tofu-") }

func main() {
	run := flag.String("run", ".", "run only tests that match this pattern, as in go test")
	parallel := flag.Int("parallel", 4, "number of tests to run at the same time")
	timeout := flag.Duration("timeout", time.Hour, "time limit for the tests on one CLI")
	flag.Parse()
	clis, err := parse(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	rows, err := runAll(ctx, clis, "-run", *run, "-parallel", strconv.Itoa(*parallel), "-timeout", timeout.String())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println()
	printTable(os.Stdout, rows)
	if slices.ContainsFunc(rows, func(r row) bool { return !r.result.good() }) {
		os.Exit(1)
	}
}

// runAll runs the tests on each CLI in turn, with arguments for go test.
func runAll(ctx context.Context, clis []cli, args ...string) ([]row, error) {
	var rows []row
	for _, c := range clis {
		fmt.Printf("==> %s: %s\n", c.name, c.path)
		command := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-json", "-count", "1"}, args, []string{"./internal/acceptance", "./internal/examples"})...)
		command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // go test then ends the processes that it started
		command.Env = environment(os.Environ(), c)
		begun := time.Now()
		result, err := test(command, os.Stdout)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{c.name, result, time.Since(begun)})
	}
	return rows, nil
}

// parse reads arguments of the form NAME=PATH=OLDEST. The paths must be absolute, because
// tests run in their package's folder.
func parse(args []string) ([]cli, error) {
	if len(args) == 0 {
		return nil, errors.New("name at least one CLI, as NAME=PATH=OLDEST")
	}
	var clis []cli
	for _, arg := range args {
		parts := strings.Split(arg, "=")
		if len(parts) != 3 || !filepath.IsAbs(parts[1]) || !filepath.IsAbs(parts[2]) {
			return nil, fmt.Errorf("%q must have the form NAME=PATH=OLDEST, with absolute paths", arg)
		}
		c := cli{parts[0], parts[1], parts[2]}
		if !c.isTofu() && !strings.HasPrefix(c.name, "terraform-") {
			return nil, fmt.Errorf("%q must be a name such as terraform-1.11 or tofu-1.11", c.name)
		}
		clis = append(clis, c)
	}
	return clis, nil
}

// environment returns the environment of the tests: the CLI, and nothing of a real account
// or of the caller's own CLI settings.
func environment(outer []string, c cli) []string {
	taken := []string{"HOSTING_BASE_URL", "HOSTING_API_KEY", "TF_CLI_CONFIG_FILE", "TF_ACC_PROVIDER_HOST"}
	env := slices.DeleteFunc(slices.Clone(outer), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(taken, name)
	})
	env = append(env, "TF_ACC=1", "CHECKPOINT_DISABLE=1", "HOSTING_TEST_STRICT=1",
		"TF_ACC_TERRAFORM_PATH="+c.path, "HOSTING_TEST_OLDEST_CLI="+c.oldest)
	if c.isTofu() {
		env = append(env, "TF_ACC_PROVIDER_HOST=registry.opentofu.org")
	}
	return env
}

// test runs go test -json and tallies its output. It prints the failures to out as they
// happen. If go test itself ends with an error, the tally says so.
func test(command *exec.Cmd, out io.Writer) (tally, error) {
	command.Stderr = os.Stderr
	events, err := command.StdoutPipe()
	if err != nil {
		return tally{}, err
	}
	if err := command.Start(); err != nil {
		return tally{}, err
	}
	result, err := read(events, out)
	if err != nil {
		return tally{}, err
	}
	if err := command.Wait(); err != nil {
		result.broken = result.broken || result.failed == 0
	}
	return result, nil
}
