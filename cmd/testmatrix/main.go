// Command testmatrix runs the acceptance tests on several CLIs, one after the
// other, and prints a table of what became of them.
//
//	testmatrix [-run PATTERN] [-parallel N] [-timeout D] NAME=PATH...
//
// NAME is what the table calls a CLI: terraform or tofu with a version behind
// it, such as tofu-1.11. PATH is its program. The first Terraform and the first
// OpenTofu are the oldest ones: what they write, the others' tests carry on with.
//
// It is run in the repository's root, as `make test-matrix` does. It exits with
// 1 when a test failed or was skipped for anything but the CLI's version.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A cli is a program that the tests are run on.
type cli struct{ name, path string }

func (c cli) product() string {
	product, _, _ := strings.Cut(c.name, "-")
	return product
}

func main() {
	run := flag.String("run", ".", "run only the tests that match this pattern, as go test takes it")
	parallel := flag.Int("parallel", 4, "how many tests run at once")
	timeout := flag.Duration("timeout", time.Hour, "how long the tests may take on one CLI")
	flag.Parse()
	clis, err := parse(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var rows []row
	for _, c := range clis {
		fmt.Printf("==> %s: %s\n", c.name, c.path)
		command := exec.Command("go", "test", "-json", "-count", "1", "-run", *run,
			"-parallel", strconv.Itoa(*parallel), "-timeout", timeout.String(), "./internal/provider")
		command.Env = environment(os.Environ(), c, oldest(clis, c.product()))
		begun := time.Now()
		result, err := test(command, os.Stdout)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		rows = append(rows, row{c.name, result, time.Since(begun)})
	}
	fmt.Println()
	printTable(os.Stdout, rows)
	if slices.ContainsFunc(rows, func(r row) bool { return !r.result.good() }) {
		os.Exit(1)
	}
}

// parse reads arguments of the form NAME=PATH. Paths are made absolute, as tests
// run in their package's folder.
func parse(args []string) ([]cli, error) {
	var clis []cli
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		c := cli{name, path}
		if !ok || path == "" || !slices.Contains([]string{"terraform", "tofu"}, c.product()) {
			return nil, fmt.Errorf("%q must have the form NAME=PATH, with a name such as terraform-1.11 or tofu-1.11", arg)
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		c.path = absolute
		clis = append(clis, c)
	}
	if len(clis) == 0 {
		return nil, fmt.Errorf("name at least one CLI, as NAME=PATH")
	}
	return clis, nil
}

// oldest is the first of a product.
func oldest(clis []cli, product string) cli {
	return clis[slices.IndexFunc(clis, func(c cli) bool { return c.product() == product })]
}

// environment is what the tests run with: the CLI, and nothing of a real account
// or of the caller's own CLI settings.
func environment(outer []string, c, oldest cli) []string {
	taken := []string{"HOSTING_BASE_URL", "HOSTING_API_KEY", "TF_CLI_CONFIG_FILE", "TF_ACC_PROVIDER_HOST"}
	env := slices.DeleteFunc(slices.Clone(outer), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(taken, name)
	})
	env = append(env, "TF_ACC=1", "CHECKPOINT_DISABLE=1", "HOSTING_TEST_STRICT=1",
		"TF_ACC_TERRAFORM_PATH="+c.path, "HOSTING_TEST_OLDEST_CLI="+oldest.path)
	if c.product() == "tofu" {
		env = append(env, "TF_ACC_PROVIDER_HOST=registry.opentofu.org")
	}
	return env
}

// test runs go test -json and tallies what it says. What failed is printed to
// out as it happens. That go test ends with an error is in the tally.
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
