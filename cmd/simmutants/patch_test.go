package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPatches holds each planted bug against the tree: a change that breaks one
// has to bring it along.
func TestPatches(t *testing.T) {
	const tree = "../.."
	patches, err := readPatches(tree, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range patches {
		t.Run(p.name, func(t *testing.T) {
			for _, mistake := range p.mistakes() {
				t.Error(mistake)
			}
			for _, file := range p.before {
				// Read here too, as go test would else keep an old result when it changes.
				if _, err := os.ReadFile(filepath.Join(root, file)); err != nil {
					t.Error(err)
				}
			}
			said, applies, err := gitApply(t.Context(), root, "--check", p.path)
			if err != nil {
				t.Fatal(err)
			}
			if !applies {
				t.Errorf("it does not apply. Bring it along with the change, as CONTRIBUTING.md says under \"Planted bugs\".\n%s", said)
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
@@ -1,3 +1,2 @@
 package client
-
--- no header
`

func TestParsePatch(t *testing.T) {
	p := parsePatch(onePatch)
	if got := strings.Join(p.why, "|"); got != "What is new is forgotten, and bought|once more." {
		t.Errorf("why: %s", got)
	}
	if want := []string{"internal/client/creation.go"}; !slices.Equal(p.before, want) || !slices.Equal(p.after, want) || len(p.stray) > 0 {
		t.Errorf("%+v", p)
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		patch   string // its name
		replace []string
		want    string
	}{
		"none":                  {"bought-twice", nil, ""},
		"name":                  {"Bought_twice", nil, "its name is not in kebab case"},
		"no reason":             {"a", []string{"# What is new is forgotten, and bought\n# once more.\n", ""}, `no line before the diff begins with "# " and says what the bug is`},
		"stray line":            {"a", []string{"# once", "once"}, `before the diff is the line "once more.", which does not begin with "# "`},
		"no diff":               {"a", []string{"diff --git", "# diff"}, "there is no diff in it, as git diff makes it"},
		"renamed":               {"a", []string{" b/internal/client/creation.go\nindex", " b/internal/client/other.go\nindex"}, "it renames a file"},
		"test":                  {"a", []string{"creation.go", "creation_test.go"}, "it changes internal/client/creation_test.go, which is no code of the client or the provider"},
		"the fake":              {"a", []string{"internal/client", "internal/fakeservice"}, "it changes internal/fakeservice/creation.go, which is no code of the client or the provider"},
		"below the client":      {"a", []string{"creation.go", "testdata/x.go"}, "it changes internal/client/testdata/x.go, which is no code of the client or the provider"},
		"no Go":                 {"a", []string{"creation.go", "creation.txt"}, "it changes internal/client/creation.txt, which is no code of the client or the provider"},
		"the provider, as well": {"a", []string{"internal/client", "internal/provider"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := parsePatch(strings.NewReplacer(c.replace...).Replace(onePatch))
			p.name = c.patch
			got := strings.Join(p.mistakes(), "; ")
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
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
	if err != nil || len(got) != 1 || got[0].name != "gone-too-soon" || got[0].path != filepath.Join(tree, mutants, "gone-too-soon.patch") || len(got[0].why) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := readPatches(tree, regexp.MustCompile("^none")); err == nil {
		t.Error("that no patch matches is no error")
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
