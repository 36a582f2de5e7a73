package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestPatches checks that each planted bug fits the code, and says what it is: a change of
// such lines must change the patch too.
func TestPatches(t *testing.T) {
	all, err := patches(root, every)
	if err != nil || len(all) == 0 {
		t.Fatalf("got %d patches and error %v, want some", len(all), err)
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			at := root + "/internal/simulation/mutants/" + m.name + ".patch"
			text, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			if why, _, _ := strings.Cut(string(text), "diff --git "); !regexp.MustCompile(`^(# .+\n)+$`).MatchString(why) {
				t.Errorf("before the diff: got %q, want lines that begin with \"# \" and describe the bug", why)
			}
			if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(m.name) {
				t.Error("the name is not in kebab case")
			}
			git := exec.CommandContext(t.Context(), "git", "apply", "--check", "-C1", "internal/simulation/mutants/"+m.name+".patch")
			git.Dir = root
			if said, err := git.CombinedOutput(); err != nil {
				t.Errorf("the patch does not apply: %v. Update it as CONTRIBUTING.md says under \"Planted bugs\".\n%s", err, said)
			}
		})
	}
}

// TestEquivalents checks that each mutant in the list has a reason above it and can still be
// made: otherwise its code no longer exists.
func TestEquivalents(t *testing.T) {
	files, err := filesOf(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		content, err := os.ReadFile(root + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		mutants, err := mutantsOf(file, string(content))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			names = append(names, m.name)
		}
	}
	for entry := range strings.SplitSeq(strings.TrimSpace(equivalents), "\n\n") {
		for i, line := range strings.Split(entry, "\n") {
			switch isReason := strings.HasPrefix(line, "# "); {
			case i == 0 && !isReason:
				t.Errorf("equivalent.txt: got %q first, want a reason above it", line)
			case !isReason && !slices.Contains(names, line):
				t.Errorf("equivalent.txt: got %s, want only mutants that the code has", line)
			}
		}
	}
}

func TestDraw(t *testing.T) {
	tree := newProject(t)
	names := func(seed uint64, in, only string) (names []string) {
		t.Helper()
		mistakes, err := draw(t.Context(), tree, seed, regexp.MustCompile(in), regexp.MustCompile(only))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mistakes {
			names = append(names, m.name)
		}
		return names
	}
	if first, again := names(1, "", ""), names(1, "", ""); !slices.Equal(first, again) {
		t.Errorf("one seed: got %q and then %q, want the same", first, again)
	}
	if first, other := names(1, "", ""), names(2, "", ""); slices.Equal(first, other) {
		t.Errorf("two seeds: got %q from both, want two selections", first)
	}
	if got := names(1, "^other", ""); len(got) > 0 {
		t.Errorf("other files: got %q, want none", got)
	}
	if got := names(1, "client", "^Known"); len(got) != 1 {
		t.Errorf("by name: got %q, want the one of Known", got)
	}
}
