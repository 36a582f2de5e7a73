package main

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// aWorld is a tree with a simulated world that checks one sum.
var aWorld = map[string]string{
	"go.mod":     "module example.test/world\n\ngo 1.24\n",
	".gitignore": "ignored.go\n",
	"main.go":    "package main\n\nimport _ \"example.test/world/internal/client\"\n\nfunc main() {}\n",

	"internal/client/sum.go":     "package client\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n",
	"internal/client/ignored.go": "it does not compile",
	"internal/client/deleted.go": "neither does this",
	"internal/simulation/sim_test.go": `package simulation

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"example.test/world/internal/client"
)

var runs, seed = flag.Int("sim.runs", 1, ""), flag.Int("sim.seed", 1, "")

func TestSim(t *testing.T) {
	if here, err := os.Getwd(); err != nil || *runs != 20 || *seed != 7 || os.Getenv("HOSTING_API_KEY") != "" {
		t.Fatal(here, err)
	}
	switch sum := client.Sum(1, 2); sum {
	case 3:
	case 0:
		panic("nothing is left")
	default:
		fmt.Printf("VIOLATION the sum is right: it is %d\nFOUND after %d runs, seed 19\nSCENARIO 2 lines\n  one\n  two\n", sum, *runs-8)
		t.Fail()
	}
}
`,
}

// planted is a patch of the sum's line.
func planted(from, to string) string {
	return "# A bug.\n" + `diff --git a/internal/client/sum.go b/internal/client/sum.go
--- a/internal/client/sum.go
+++ b/internal/client/sum.go
@@ -1,4 +1,4 @@
 package client
 
 // Sum adds.
-func Sum(a, b int) int { return ` + from + ` }
+func Sum(a, b int) int { return ` + to + ` }
`
}

// newWorld returns a fresh clone of aWorld with uncommitted changes.
func newWorld(t *testing.T, patches map[string]string) options {
	t.Helper()
	files := maps.Clone(aWorld)
	for name, content := range patches {
		files[mutants+"/"+name+".patch"] = content
	}
	tree := newTree(t, files)
	if err := os.Remove(tree + "/internal/client/deleted.go"); err != nil {
		t.Fatal(err)
	}
	return options{tree: tree, only: regexp.MustCompile(""), jobs: 2, runs: 20, seed: 7, timeout: time.Hour, control: true}
}

// newTree returns a folder with files that git knows.
func newTree(t *testing.T, files map[string]string) string {
	t.Helper()
	tree := t.TempDir()
	for name, content := range files {
		write(t, tree, name, content)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = tree
		if said, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, said)
		}
	}
	// A bench must see neither this machine's own folder nor an account.
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("HOSTING_API_KEY", "real")
	return tree
}

func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("files that are left behind: got %v (%v), want none", left, err)
	}
}

func TestHunt(t *testing.T) {
	o := newWorld(t, map[string]string{
		"caught":       planted("a + b", "a - b"),
		"missed":       planted("a + b", "b + a"),
		"crashed":      planted("a + b", "a - a"),
		"not-applied":  planted("a * b", "a - b"),
		"not-compiled": planted("a + b", "a + c"),
	})
	var out bytes.Buffer
	all, err := hunt(t.Context(), o, &out)
	if err != nil || all {
		t.Errorf("hunt: got %t and error %v, want false and none", all, err)
	}
	for _, want := range []string{
		"Nothing planted, and nothing found in 20 runs.\n",
		"caught                                       the sum is right, 12 runs, 2 lines\n    one\n    two\n",
		"missed                                       NOT CAUGHT in 20 runs\n",
		"crashed                                      NOT CAUGHT: the world ended without naming a check\n",
		"panic: nothing is left",
		"not-applied                                  DOES NOT APPLY\n",
		"not-compiled                                 DOES NOT COMPILE\n",
		"undefined: c",
		"\n1 of 5 planted bugs were caught; in the median after 12 runs, with a scenario of 2 lines.\n" +
			"Not caught: crashed, missed.\nDo not apply: not-applied.\nDo not compile: not-compiled.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output: got\n%s\nwant %q in it", out.String(), want)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	nothingLeft(t)

	out.Reset()
	o.only, o.control = regexp.MustCompile("^caught$"), false
	if all, err := hunt(t.Context(), o, &out); err != nil || !all || strings.Contains(out.String(), "Nothing planted") {
		t.Errorf("hunt of one bug: got %t and error %v, want true and no control:\n%s", all, err, out.String())
	}
}

// TestHuntControl violates the world with nothing planted.
func TestHuntControl(t *testing.T) {
	o := newWorld(t, map[string]string{"missed": planted("a - b", "b - a")})
	write(t, o.tree, "internal/client/sum.go", strings.Replace(aWorld["internal/client/sum.go"], "+", "-", 1))
	var out bytes.Buffer
	if _, err := hunt(t.Context(), o, &out); err == nil || !strings.Contains(out.String(), "(nothing planted)") || strings.Contains(out.String(), "missed") {
		t.Errorf("hunt: got error %v, want one about the control alone:\n%s", err, out.String())
	}
	nothingLeft(t)
}

func TestHuntInterrupted(t *testing.T) {
	o := newWorld(t, map[string]string{"endless": planted("a + b", "select {}")})
	ctx, interrupt := context.WithCancel(t.Context())
	said := writer(func(text string) {
		if strings.Contains(text, "Nothing planted") {
			interrupt()
		}
	})
	if _, err := hunt(ctx, o, said); !errors.Is(err, context.Canceled) {
		t.Errorf("hunt: got error %v, want context.Canceled", err)
	}
	nothingLeft(t)
}

// A writer shows what is printed.
type writer func(text string)

func (w writer) Write(text []byte) (int, error) {
	w(string(text))
	return len(text), nil
}
