// Package tier defines which tests run when. Most always run. Those that start programs or
// play many worlds belong to a change, and the longest to the night.
package tier

import (
	"flag"
	"os"
	"testing"
)

// The environment variables that turn tests on. Terraform's own, without which no provider
// runs its acceptance tests, turns on those of a change.
const (
	changeVariable = "TF_ACC"
	nightVariable  = "HOSTING_TEST_NIGHT"
)

// A Tier is a set of tests that run together.
type Tier int

// The tiers. Each includes the previous one.
const (
	Change Tier = iota + 1 // make test
	Night                  // make test-all
)

func (t Tier) command() string { return [...]string{Change: "make test", Night: "make test-all"}[t] }

// Runs reports whether the tests of a tier run.
func (t Tier) Runs() bool {
	isSet := func(name string) bool { return os.Getenv(name) != "" } //nolint:forbidigo // this package is for tests alone
	return isSet(nightVariable) || t == Change && isSet(changeVariable)
}

// Only skips a test unless its tier runs, or -run asks for tests by name.
func (t Tier) Only(tb testing.TB) {
	tb.Helper()
	if !t.Runs() && pattern().String() == "" {
		tb.Skip("left out: " + t.command() + " runs it")
	}
}

// Select is for the TestMain of a package whose tests are all of this tier. If the tier does
// not run, and -run asks for no tests by name, it leaves them out, which go test calls "no
// tests to run", also with -v, and returns false.
func (t Tier) Select() bool {
	flag.Parse()
	if t.Runs() || pattern().String() != "" {
		return true
	}
	if err := pattern().Set("^$"); err != nil {
		panic(err) // it is a pattern
	}
	os.Stdout.WriteString("left out: " + t.command() + " runs these tests\n")
	return false
}

// Run selects the tests of a package and runs them. It returns the exit code for TestMain.
func (t Tier) Run(m interface{ Run() int }) int {
	t.Select()
	return m.Run()
}

// pattern is the flag -run.
func pattern() flag.Value { return flag.Lookup("test.run").Value }
