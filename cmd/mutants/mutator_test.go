package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMutantsOf(t *testing.T) {
	for name, c := range map[string]struct {
		declaration string
		want        []string
	}{
		"condition": {
			`func f(ok bool) int {
	if ok {
		return 20
	}
	return 30
}`,
			[]string{
				`f: condition negated: ok -> !ok`,
				`f: statement dropped: if ok { return 20 }`,
			},
		},
		"condition with not":     {`func f() bool { for !g() { }; return true }`, []string{`f: condition negated: !g() -> g()`, `f: statement dropped: for !g() { }`}},
		"condition from channel": {`func f() { if <-c { return } else { g() } }`, []string{`f: statement dropped: if <-c { return } else { g() }`, `f: statement dropped: return`, `f: statement dropped: g()`}},
		"cases": {
			`func f() int { switch { case a: return 20; case b(): return 30 }; return 40 }`,
			[]string{`f: condition negated: a -> !a`, `f: condition negated: b() -> !b()`},
		},
		"cases of a value": {`func f() int { switch a { case b: return 20 }; return 40 }`, nil},
		"comparisons": {
			`func f() bool { return a < b || a >= b && c == d }`,
			[]string{
				`f: && and || swapped: a < b || a >= b && c == d -> a < b && a >= b && c == d`,
				`f: && and || swapped: a >= b && c == d -> a >= b || c == d`,
				`f: comparison shifted: a < b -> a <= b`,
				`f: comparison shifted: a >= b -> a > b`,
				`f: condition negated: a < b -> !(a < b)`,
				`f: condition negated: a >= b -> !(a >= b)`,
				`f: condition negated: a >= b && c == d -> !(a >= b && c == d)`,
				`f: condition negated: c == d -> c != d`,
			},
		},
		"parentheses": {
			`func f() bool { return !(a || (b)) }`,
			[]string{
				`f: && and || swapped: a || (b) -> a && (b)`,
				`f: condition negated: a -> !a`,
				`f: condition negated: b -> !b`,
			},
		},
		"numbers": {`var size, none, more = 1, 0, 11`, []string{`size: number changed: 0 -> 1`, `size: number changed: 1 -> 2`}},
		"statements": {
			`func (t *T[K]) f() (n int) {
	defer t.unlock()
	go g()
	a := g()
	_ = a
	t.c <- a
	n = g()
	n += a
	n++
	for range t.c {
		continue
	}
	return n
}`,
			[]string{
				`T.f: statement dropped: continue`,
				`T.f: statement dropped: defer t.unlock()`,
				`T.f: statement dropped: for range t.c { continue }`,
				`T.f: statement dropped: go g()`,
				`T.f: statement dropped: n += a`,
				`T.f: statement dropped: n = g()`,
				`T.f: statement dropped: n++`,
				`T.f: statement dropped: t.c <- a`,
			},
		},
		"errors": {
			`func f() (int, error) {
	n, err := g()
	if err != nil {
		return 20, err
	}
	if closeErr := h(n); closeErr != nil && n == 30 {
		return n, fmt.Errorf("close: %w", closeErr)
	}
	return n, nil
}`,
			[]string{
				`f: && and || swapped: closeErr != nil && n == 30 -> closeErr != nil || n == 30`,
				`f: condition negated: closeErr != nil && n == 30 -> !(closeErr != nil && n == 30)`,
				`f: condition negated: closeErr != nil -> closeErr == nil`,
				`f: condition negated: err != nil -> err == nil`,
				`f: condition negated: n == 30 -> n != 30`,
				`f: error ignored: closeErr != nil -> closeErr != nil && false`,
				`f: error ignored: err != nil -> err != nil && false`,
				`f: error ignored: return 20, err -> return 20, nil`,
				`f: statement dropped: if closeErr := h(n); closeErr != nil && n == 30 { return n, fmt.Errorf("close: %w", closeErr) }`,
			},
		},
		"nothing to change": {"import \"fmt\"\n\ntype T struct{ a [20]int }\n\nfunc (T) f()\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			content := "package p\n\n" + c.declaration + "\n"
			mutants, err := mutantsOf("p.go", content)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range mutants {
				got = append(got, m.name)
				changed := m.apply(content)
				if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil || changed == content {
					t.Errorf("%s: got the file with error %v, want it changed and without an error:\n%s", m.name, err, changed)
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("mutants (-want +got):\n%s", diff)
			}
		})
	}
	if got, err := mutantsOf("p.go", "package"); err == nil {
		t.Errorf("mutants of a file that is cut short: got %v, want an error", got)
	}
}

// TestMutantApply shows what the mutants of each kind write, and where.
func TestMutantApply(t *testing.T) {
	const content = `package p

func f() error {
	g() // stays
	err := g()
	if a && b > 2 {
		return err
	}
}
`
	mutants, err := mutantsOf("p.go", content)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mutants {
		before, after := strings.Split(content, "\n"), strings.Split(m.apply(content), "\n")
		for i, line := range after {
			if i >= len(before) || line != before[i] {
				got = append(got, fmt.Sprintf("%d %d: %s", m.line, i+1, strings.TrimSpace(line)))
				break
			}
		}
	}
	want := []string{
		"4 4: if false { g() } // stays",
		"6 6: if false { if a && b > 2 {",
		"6 6: if !(a && b > 2) {",
		"6 6: if a || b > 2 {",
		"6 6: if !a && b > 2 {",
		"6 6: if a && !(b > 2) {",
		"6 6: if a && b >= 2 {",
		"6 6: if a && b > 3 {",
		"7 7: return nil",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line of each mutant, and its first changed line (-want +got):\n%s", diff)
	}
}
