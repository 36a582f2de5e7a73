package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEquivalents checks that each mutant in the list can still be made: otherwise its code
// no longer exists.
func TestEquivalents(t *testing.T) {
	reasons, err := parseEquivalents(equivalents)
	if err != nil {
		t.Fatal(err)
	}
	files, err := readCode(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range files {
		mutants, err := mutantsOf(file, content)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants {
			delete(reasons, m.String())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		t.Errorf("equivalent.txt: got %s, want only mutants that the code has", name)
	}
}

func TestParseEquivalents(t *testing.T) {
	got, err := parseEquivalents("# Both are sorted,\n# so order is no matter.\nf: number changed: 1 -> 2\ng: number changed: 1 -> 2\n\n# Never.\nh: statement dropped: a: b\n")
	want := map[string]string{
		"f: number changed: 1 -> 2":  "Both are sorted, so order is no matter.",
		"g: number changed: 1 -> 2":  "Both are sorted, so order is no matter.",
		"h: statement dropped: a: b": "Never.",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, reasons (-want +got):\n%s", err, diff)
	}
	if got, err := parseEquivalents("# Why.\n\nf: number changed: 1 -> 2\n"); err == nil {
		t.Errorf("a list with a mutant without a reason: got %v, want an error", got)
	}
}
