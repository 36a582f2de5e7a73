package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutants is where the patches are.
const mutants = "internal/simulation/mutants"

// A patch is a bug to plant: a unified diff, and before it what the bug is and
// what it costs a user.
type patch struct {
	name   string
	path   string   // absolute
	why    []string // the lines before the diff that begin with "# "
	stray  []string // other lines before the diff
	before []string // the files that it changes, by their paths in the tree
	after  []string // the same, as they are called afterwards
}

// readPatches reads the patches of a tree whose names match, by name. That there
// is none is an error.
func readPatches(tree string, only *regexp.Regexp) ([]patch, error) {
	tree, err := filepath.Abs(tree)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(tree, mutants, "*.patch"))
	if err != nil {
		return nil, err
	}
	var patches []patch
	for _, at := range paths {
		name := strings.TrimSuffix(filepath.Base(at), ".patch")
		if !only.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		p := parsePatch(string(text))
		p.name, p.path = name, at
		patches = append(patches, p)
	}
	if len(patches) == 0 {
		return nil, fmt.Errorf("there is no patch in %s whose name matches %q", mutants, only)
	}
	return patches, nil
}

var diffLine = regexp.MustCompile(`^diff --git a/(\S+) b/(\S+)$`)

func parsePatch(text string) patch {
	var p patch
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		changed := diffLine.FindStringSubmatch(line)
		words, isWhy := strings.CutPrefix(line, "# ")
		switch {
		case changed != nil:
			p.before, p.after = append(p.before, changed[1]), append(p.after, changed[2])
		case len(p.before) > 0:
		case isWhy:
			p.why = append(p.why, words)
		default:
			p.stray = append(p.stray, line)
		}
	}
	return p
}

var kebabCase = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// mistakes are what a patch has that it should not, or lacks.
func (p patch) mistakes() []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if !kebabCase.MatchString(p.name) {
		add("its name is not in kebab case")
	}
	if len(p.why) == 0 {
		add(`no line before the diff begins with "# " and says what the bug is`)
	}
	switch {
	case len(p.before) == 0:
		add("there is no diff in it, as git diff makes it")
	case len(p.stray) > 0:
		add(`before the diff is the line %q, which does not begin with "# "`, p.stray[0])
	}
	if !slices.Equal(p.before, p.after) {
		add("it renames a file")
	}
	for _, file := range p.before {
		folder := path.Dir(file)
		if folder != "internal/client" && folder != "internal/provider" || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			add("it changes %s, which is no code of the client or the provider", file)
		}
	}
	return all
}
