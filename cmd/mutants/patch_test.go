package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatches checks that each planted bug fits the code: a change of such lines must
// change the patch too.
func TestPatches(t *testing.T) {
	const tree = "../.."
	patches, err := readPatches(tree, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	files, err := readCode(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		t.Run(p.name, func(t *testing.T) {
			for _, mistake := range p.mistakes() {
				t.Error(mistake)
			}
			if _, err := p.apply(files); err != nil {
				t.Errorf("the patch does not apply: %v. Update it as CONTRIBUTING.md says under \"Planted bugs\".", err)
			}
		})
	}
}

const onePatch = `# What is new is forgotten, and bought
# once more.
diff --git a/internal/client/creation.go b/internal/client/creation.go
index 54d38e1..0b1c2d3 100644
--- a/internal/client/creation.go
+++ b/internal/client/creation.go
@@ -1,4 +1,3 @@ func f() {
 package client

--- no header
-	b
+	c
@@ -9 +8 @@
-	d
+++ e
diff --git a/internal/client/errors.go b/internal/client/errors.go
--- a/internal/client/errors.go
+++ b/internal/client/errors.go
@@ -20,2 +20,3 @@
 	g
+	h
 	i
`

func TestParsePatch(t *testing.T) {
	want := patch{
		why: []string{"What is new is forgotten, and bought", "once more."},
		hunks: []hunk{
			{file: "internal/client/creation.go", header: "@@ -1,4 +1,3 @@ func f() {", old: []string{"package client", "", "-- no header", "\tb"}, new: []string{"package client", "", "\tc"}, lead: 2},
			{file: "internal/client/creation.go", header: "@@ -9 +8 @@", old: []string{"\td"}, new: []string{"++ e"}},
			{file: "internal/client/errors.go", header: "@@ -20,2 +20,3 @@", old: []string{"\tg", "\ti"}, new: []string{"\tg", "\th", "\ti"}, lead: 1, trail: 1},
		},
	}
	if diff := cmp.Diff(want, parsePatch(onePatch), cmp.AllowUnexported(patch{}, hunk{})); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

func TestApply(t *testing.T) {
	const diff = "+++ b/a.go\n@@ -1,6 +1,7 @@\n one\n two\n three\n-four\n+4\n+5\n six\n seven\n eight\n"
	const lines = "one\ntwo\nthree\nfour\nsix\nseven\neight\n"
	const planted = "one\ntwo\nthree\n4\n5\nsix\nseven\neight\n"
	for name, c := range map[string]struct {
		diff    string
		files   code
		want    code
		wantErr string
	}{
		"where the patch says":              {diff, code{"a.go": "zero\n" + lines, "b.go": lines}, code{"a.go": "zero\n" + planted}, ""},
		"moved to another file":             {diff, code{"a.go": "package a\n", "b/b.go": "zero\n" + lines + "nine\n"}, code{"b/b.go": "zero\n" + planted + "nine\n"}, ""},
		"renamed file":                      {diff, code{"b.go": lines}, code{"b.go": planted}, ""},
		"moved with two other lines around": {diff, code{"b.go": "1\n2\nthree\nfour\nsix\n7\n8\n"}, code{"b.go": "1\n2\nthree\n4\n5\nsix\n7\n8\n"}, ""},
		"three other lines around":          {diff, code{"a.go": "1\n2\n3\nfour\n6\n7\n8\n"}, nil, `the lines of the hunk "@@ -1,6 +1,7 @@", of a.go, are nowhere in the code of the client and the provider`},
		"another line to change":            {diff, code{"a.go": strings.Replace(lines, "four", "for", 1)}, nil, `the lines of the hunk "@@ -1,6 +1,7 @@", of a.go, are nowhere in the code of the client and the provider`},
		"copied to two files":               {diff, code{"b.go": lines, "c.go": lines}, nil, `the lines of the hunk "@@ -1,6 +1,7 @@" are in several places: b.go, c.go`},
		"twice in its file":                 {diff, code{"a.go": lines + lines}, nil, `the lines of the hunk "@@ -1,6 +1,7 @@" are in several places: a.go, a.go`},
		"two hunks of one file": {
			"+++ b/a.go\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -8 +8 @@\n-eight\n+8\n",
			code{"a.go": lines}, code{"a.go": "one\n2\nthree\nfour\nsix\nseven\n8\n"}, "",
		},
		"two hunks of one file, now in two": {
			"+++ b/a.go\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -8 +8 @@\n-eight\n+8\n",
			code{"a.go": "one\ntwo\n", "b.go": "eight\n"}, code{"a.go": "one\n2\n", "b.go": "8\n"}, "",
		},
		"lines that overlap themselves": {"+++ b/a.go\n@@ -1,2 +1,1 @@\n-one\n one\n", code{"a.go": "one\none\none\n"}, nil, `the lines of the hunk "@@ -1,2 +1,1 @@" are in several places: a.go, a.go`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parsePatch(c.diff).apply(c.files)
			gotErr := ""
			if err != nil {
				gotErr = err.Error()
			}
			if gotErr != c.wantErr {
				t.Errorf("got error %q, want %q", gotErr, c.wantErr)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("changed files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		patch   string // its name
		replace []string
		want    string
	}{
		"none":       {"bought-twice", nil, ""},
		"name":       {"Bought_twice", nil, "its name is not in kebab case"},
		"no reason":  {"a", []string{"# What is new is forgotten, and bought\n# once more.\n", ""}, `no line before the diff begins with "# " and says what the bug is`},
		"stray line": {"a", []string{"# once", "once"}, `before the diff is the line "once more.", which does not begin with "# "`},
		"no diff":    {"a", []string{"@@", "#"}, "there is no diff in it, as git diff makes it"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parsePatch(strings.NewReplacer(c.replace...).Replace(onePatch))
			p.name = c.patch
			got := strings.Join(p.mistakes(), "; ")
			if got != c.want {
				t.Errorf("the mistakes: got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestReadPatches(t *testing.T) {
	tree := t.TempDir()
	write(t, tree, mutants+"/bought-twice.patch", onePatch)
	write(t, tree, mutants+"/gone-too-soon.patch", onePatch)
	write(t, tree, mutants+"/README.md", "no patch")
	got, err := readPatches(tree, regexp.MustCompile("^gone"))
	if err != nil || len(got) != 1 || got[0].name != "gone-too-soon" || len(got[0].why) != 2 {
		t.Errorf("readPatches: got %+v and error %v, want gone-too-soon with two lines of reasons", got, err)
	}
	if _, err := readPatches(tree, regexp.MustCompile("^none")); err == nil {
		t.Error("readPatches: got no error without a matching patch, want one")
	}
}

// write writes a file of a tree.
func write(t *testing.T, tree, name, content string) {
	t.Helper()
	at := filepath.Join(tree, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
