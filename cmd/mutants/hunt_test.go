package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// project is a tree whose client has a mutant for each fate, and two planted bugs.
var project = map[string]string{
	"go.mod":  "module example.test/world\n\ngo 1.24\n",
	"main.go": "package main\n\nimport _ \"example.test/world/internal/client\"\n\nfunc main() {}\n",
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
	"internal/provider/provider_test.go": "package provider\n\nimport \"testing\"\n\nfunc TestProvider(*testing.T) {}\n",
	"internal/reports/reports_test.go": `package reports

import (
	"testing"

	"example.test/world/internal/client"
)

func TestLeast(t *testing.T) {
	if client.Least(3, 2) != 2 {
		t.Fail()
	}
}
`,
	"internal/simulation/sim_test.go": `package simulation

import (
	"flag"
	"fmt"
	"testing"

	"example.test/world/internal/client"
)

var runs, seed = flag.Int("sim.runs", 0, ""), flag.Int("sim.seed", 0, "")

func TestStories(*testing.T) {}

func TestSim(t *testing.T) {
	if *runs != 20 || *seed != 1 {
		t.Fatal("other worlds")
	}
	if !client.Known("world") {
		fmt.Print("VIOLATION the world is known: it is not\nFOUND after 3 runs, seed 3\nSCENARIO 1 lines\n  apply\n\nWhat happens:\n")
		t.Fail()
	}
}
`,
	"internal/simulation/mutants/nobody-is-known.patch": planted("name == \"world\"", "name == \"\""),
	"internal/simulation/mutants/never-found.patch":     planted("name == \"world\"", "name >= \"world\""),
}

// planted is a patch of one line of the client.
func planted(from, to string) string {
	return "# A bug.\ndiff --git a/internal/client/client.go b/internal/client/client.go\n" +
		"--- a/internal/client/client.go\n+++ b/internal/client/client.go\n@@ -7,5 +7,5 @@ func Least(a, b int) int {\n \treturn b\n }\n \n" +
		"-func Known(name string) bool { return " + from + " }\n+func Known(name string) bool { return " + to + " }\n \n"
}

// newProject writes the project, in which a file has changed since the last commit.
func newProject(t *testing.T) (tree string) {
	t.Helper()
	tree = t.TempDir()
	for name, content := range project {
		at := filepath.Join(tree, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.CommandContext(t.Context(), "sh", "-c",
		"git init -q && git config user.name t && git config user.email t@example.test && git add . && git commit -qm all && echo // changed >>main.go")
	git.Dir = tree
	if said, err := git.CombinedOutput(); err != nil {
		t.Fatalf("make a repository: %v\n%s", err, said)
	}
	t.Setenv("TMPDIR", t.TempDir())
	return tree
}

// tried returns what a hunt prints about mistakes, and whether it caught them.
func tried(t *testing.T, h *hunt, tree string, mistakes []mistake, size int) (out string, tried, caught int, err error) {
	t.Helper()
	var printed bytes.Buffer
	h.out, h.limits = &printed, map[string]time.Duration{}
	tried, caught, err = h.run(t.Context(), tree, mistakes, size, 2)
	if left, leftErr := os.ReadDir(os.Getenv("TMPDIR")); leftErr != nil || len(left) > 0 {
		t.Errorf("files that are left behind: got %v (%v), want none", left, leftErr)
	}
	return printed.String(), tried, caught, err
}

var every = regexp.MustCompile("")

func TestGenerated(t *testing.T) {
	tree := newProject(t)
	mistakes, err := draw(t.Context(), tree, 1, every, every)
	if err != nil || len(mistakes) != 6 {
		t.Fatalf("draw: got %d mutants and error %v, want 6", len(mistakes), err)
	}
	first, n, caught, err := tried(t, &hunt{nets: nets(20)}, tree, mistakes, 5)
	if err != nil || n != 5 || caught != 4 {
		t.Errorf("got %d of %d caught, %v, want 4 of 5", caught, n, err)
	}
	mistakes = slices.DeleteFunc(mistakes, func(m mistake) bool { return !strings.Contains(m.name, "Least: condition negated") })
	all, _, _, err := tried(t, &hunt{nets: nets(20), all: true}, tree, mistakes, 100)
	if err != nil {
		t.Error(err)
	}
	const at = "internal/client/client.go:"
	for want, out := range map[string]string{
		at + "4: Least: condition negated: a < b -> !(a < b): unit\n    --- FAIL: TestClient\n":            first,
		at + "4: Least: comparison shifted: a < b -> a <= b: NOT CAUGHT\n":                                 first,
		at + "13: Always: statement dropped: for { return 7 }: DOES NOT COMPILE\n    # example.test/world": first,
		at + "10: Known: condition negated: name == \"world\" -> name != \"world\": worlds\n" +
			"    VIOLATION the world is known: it is not\n    FOUND after 3 runs, seed 3\n    SCENARIO 1 lines\n      apply\n": first,
		"\n4 of 5 mistakes were caught, 80.0 %.\nBy unit: 3, and by no other: 3.\n":                                  first,
		"Not caught: " + at + "4: Least: comparison shifted: a < b -> a <= b\n":                                      first,
		"Does not compile: " + at + "13: Always: statement dropped: for { return 7 }\n":                              first,
		at + "4: Least: condition negated: a < b -> !(a < b): unit, reports\n":                                       all,
		"By unit: 1, and by no other: 0.\nBy provider: 0, and by no other: 0.\nBy reports: 1, and by no other: 0.\n": all,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q in it", out, want)
		}
	}
}

// TestNothingPlanted has a test that fails without any mistake.
func TestNothingPlanted(t *testing.T) {
	tree := newProject(t)
	mistakes, err := draw(t.Context(), tree, 1, every, every)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(project["internal/client/client_test.go"], "!= 7", "!= 8", 1)
	if err := os.WriteFile(filepath.Join(tree, "internal/client/client_test.go"), []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, _, err = tried(t, &hunt{nets: nets(20)}, tree, mistakes, 1)
	if err == nil || !strings.Contains(err.Error(), "fail with nothing planted:\n--- FAIL: TestClient") {
		t.Errorf("got %v, want that the client's tests fail with nothing planted", err)
	}
}

func TestPlanted(t *testing.T) {
	tree := newProject(t)
	mistakes, err := patches(tree, regexp.MustCompile("known|found"))
	if err != nil {
		t.Fatal(err)
	}
	out, n, caught, err := tried(t, &hunt{nets: nets(20)[4:]}, tree, mistakes, len(mistakes))
	if err != nil || n != 2 || caught != 1 || !strings.Contains(out, "nobody-is-known: worlds\n") || !strings.Contains(out, "Not caught: never-found\n") {
		t.Errorf("got %d of %d, %v, want the one that the worlds see:\n%s", caught, n, err, out)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, _, err := (&hunt{}).run(ctx, tree, mistakes, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted hunt: got error %v, want context.Canceled", err)
	}
}

func TestNets(t *testing.T) {
	var names []string
	for _, n := range nets(1) {
		names = append(names, n.name)
	}
	if want := []string{"unit", "provider", "reports", "stories", "worlds"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q: the worlds are last, as the only net of patches", names, want)
	}
}
