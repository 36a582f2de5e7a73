package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// aClient is a tree whose client has a mutant for each fate.
var aClient = map[string]string{
	"go.mod":  aWorld["go.mod"],
	"main.go": aWorld["main.go"],
	"internal/client/client.go": `package client

func Least(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func Known(name string) bool { return name == "world" }

func Always() int {
	for {
		return 7
	}
}
`,
	"internal/client/client_test.go": `package client

import "testing"

func TestClient(t *testing.T) {
	if Least(1, 2) != 1 || Least(2, 1) != 1 || Always() != 7 {
		t.Fail()
	}
}
`,
	"internal/provider/provider_test.go": `package provider

import "testing"

func TestProvider(*testing.T) {}
`,
	"internal/simulation/sim_test.go": `package simulation

import (
	"flag"
	"fmt"
	"testing"

	"example.test/world/internal/client"
)

var runs, seed = flag.Int("sim.runs", 0, ""), flag.Int("sim.seed", 0, "")

func TestSim(t *testing.T) {
	if *runs != 20 || *seed != 1 {
		t.Fatal("other worlds")
	}
	if !client.Known("world") {
		fmt.Print("VIOLATION the world is known: it is not\nFOUND after 3 runs, seed 3\nSCENARIO 0 lines\n")
		t.Fail()
	}
}
`,
}

func TestSampling(t *testing.T) {
	s := sampling{tree: newTree(t, aClient), in: regexp.MustCompile(""), only: regexp.MustCompile(""), size: 100, seed: 1, runs: 20, least: 80}
	var out bytes.Buffer
	enough, err := s.run(t.Context(), &out)
	if err != nil || !enough {
		t.Errorf("got %t, %v, want enough caught", enough, err)
	}
	for _, want := range []string{
		"6 mutants to draw from, seed 1.\n",
		"internal/client/client.go:4: Least: condition negated: a < b -> !(a < b)\n    caught by the tests of internal/client: TestClient (",
		"internal/client/client.go:4: Least: statement dropped: if a < b { return a }\n    caught by the tests of internal/client: TestClient (",
		"internal/client/client.go:4: Least: comparison shifted: a < b -> a <= b\n    NOT CAUGHT (",
		"internal/client/client.go:10: Known: condition negated: name == \"world\" -> name != \"world\"\n    caught by the worlds: the world is known, after 3 runs (",
		"internal/client/client.go:13: Always: statement dropped: for { return 7 }\n    does not compile, so it is not counted (",
		"\n4 of 5 mutants were caught, 80.0 %, in ",
		" 1 more did not compile.\nCaught by the tests of internal/client: 3.\nCaught by the worlds: 1.\nNot caught:\ninternal/client/client.go:4: Least: comparison shifted: a < b -> a <= b\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output: got\n%s\nwant %q in it", out.String(), want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	nothingLeft(t)
}

func TestDraw(t *testing.T) {
	files := code{"client.go": aClient["internal/client/client.go"]}
	draw := func(seed uint64, in string) (names []string) {
		t.Helper()
		mutants, err := sampling{in: regexp.MustCompile(in), only: regexp.MustCompile(""), seed: seed}.draw(files)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			names = append(names, m.String())
		}
		return names
	}
	if first, again := draw(1, ""), draw(1, ""); !slices.Equal(first, again) {
		t.Errorf("one seed: got %q and then %q, want the same", first, again)
	}
	if first, other := draw(1, ""), draw(2, ""); slices.Equal(first, other) {
		t.Errorf("two seeds: got %q from both, want two selections", first)
	}
	if got := draw(1, "^other"); len(got) > 0 {
		t.Errorf("other files: got %q, want none", got)
	}
}

func TestSamplingTooFewCaught(t *testing.T) {
	s := sampling{tree: newTree(t, aClient), in: regexp.MustCompile("client.go"), only: regexp.MustCompile(""), size: 5, runs: 20, least: 80.1}
	var out bytes.Buffer
	if enough, err := s.run(t.Context(), &out); err != nil || enough {
		t.Errorf("got %t, %v, want too few caught\n%s", enough, err, out.String())
	}
}

// TestSamplingControl has a test that fails with nothing planted.
func TestSamplingControl(t *testing.T) {
	tree := newTree(t, aClient)
	write(t, tree, "internal/client/client_test.go", strings.Replace(aClient["internal/client/client_test.go"], "!= 7", "!= 8", 1))
	s := sampling{tree: tree, in: regexp.MustCompile(""), only: regexp.MustCompile(""), size: 1, runs: 20}
	var out bytes.Buffer
	if _, err := s.run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "internal/client fails with nothing planted:\n--- FAIL: TestClient") {
		t.Errorf("got %v, want that the client's tests fail with nothing planted\n%s", err, out.String())
	}
	nothingLeft(t)
}

func TestWhatFailed(t *testing.T) {
	for name, c := range map[string]struct{ folder, said, want string }{
		"test":           {"internal/client", "=== RUN TestA\n--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b\nFAIL\n", "the tests of internal/client: TestA"},
		"no end":         {"internal/client", "panic: test timed out after 1m0s\nrunning tests:\n\tTestA (59s)\n", "the tests of internal/client: test timed out after 1m0s"},
		"panic":          {"internal/client", "panic: a nil map\n\ngoroutine 1\n", "the tests of internal/client: a nil map"},
		"a fatal error":  {"internal/client", "fatal error: all goroutines are asleep\n", "the tests of internal/client: all goroutines are asleep"},
		"nothing":        {"internal/client", "", "the tests of internal/client"},
		"a world":        {worldsFolder, violated, "the worlds: one machine per wanted instance, after 17 runs"},
		"a world, ended": {worldsFolder, "panic: deadlock: main bubble goroutine has exited\n", "the worlds: deadlock: main bubble goroutine has exited"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := whatFailed(c.folder, c.said); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
