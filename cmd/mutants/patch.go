package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutants is the folder of the patches.
const mutants = "internal/simulation/mutants"

// A patch is a bug to plant. It is a unified diff after a text that describes the bug and
// what it costs a user.
type patch struct {
	name  string
	why   []string // the lines before the diff that begin with "# "
	stray []string // other lines before the diff
	hunks []hunk
}

// A hunk is a list of lines to replace, with the lines around them, which locate it.
type hunk struct {
	file        string // the file of the lines when the patch was made
	header      string // its first line in the patch
	old, new    []string
	lead, trail int // the number of unchanged lines at the beginning and the end
}

// readPatches reads the patches of a tree whose names match, by name. It returns an error
// if there are none.
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
		p.name = name
		patches = append(patches, p)
	}
	if len(patches) == 0 {
		return nil, fmt.Errorf("there is no patch in %s whose name matches %q", mutants, only)
	}
	return patches, nil
}

var (
	fileLine = regexp.MustCompile(`^\+\+\+ b/(\S+)$`)
	hunkLine = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
)

func parsePatch(text string) patch {
	var p patch
	file, inDiff := "", false
	old, added := 0, 0 // the numbers of lines of the hunk still to come
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		begins := hunkLine.FindStringSubmatch(line)
		named := fileLine.FindStringSubmatch(line)
		words, isWhy := strings.CutPrefix(line, "# ")
		switch {
		case old > 0 || added > 0:
			h := &p.hunks[len(p.hunks)-1]
			sign, rest := " ", ""
			if line != "" { // an editor may have removed its blank
				sign, rest = line[:1], line[1:]
			}
			if sign != "+" {
				h.old = append(h.old, rest)
				old--
			}
			if sign != "-" {
				h.new = append(h.new, rest)
				added--
			}
			switch {
			case sign != " ":
				h.trail = 0
			case h.lead == len(h.old)-1 && len(h.old) == len(h.new):
				h.lead++
			default:
				h.trail++
			}
		case begins != nil:
			old, added = count(begins[1]), count(begins[2])
			p.hunks = append(p.hunks, hunk{file: file, header: line})
		case named != nil:
			file = named[1]
		case strings.HasPrefix(line, "diff --git "):
			inDiff = true
		case inDiff:
		case isWhy:
			p.why = append(p.why, words)
		default:
			p.stray = append(p.stray, line)
		}
	}
	return p
}

// count parses a number of lines in a hunk's header. The header leaves out the number 1.
func count(text string) int {
	if text == "" {
		return 1
	}
	n, _ := strconv.Atoi(text) // the pattern only matches digits
	return n
}

// apply returns the files that the patch changes, with the changes. Each hunk is located by
// its lines, so that the code may move: first in the file that the patch names, then in all
// of them. A hunk that fits nowhere is tried with one and then two lines less around it, as
// GNU patch does.
func (p patch) apply(files code) (changed code, err error) {
	changed = code{}
	now := maps.Clone(files)
	for _, h := range p.hunks {
		file, content, err := h.apply(now)
		if err != nil {
			return nil, err
		}
		now[file], changed[file] = content, content
	}
	return changed, nil
}

func (h hunk) apply(files code) (file, content string, err error) {
	for fuzz := range 3 {
		lead, trail := min(fuzz, h.lead), min(fuzz, h.trail)
		old := "\n" + strings.Join(h.old[lead:len(h.old)-trail], "\n") + "\n"
		replaced := "\n" + strings.Join(append(h.new[lead:len(h.new)-trail:len(h.new)-trail], ""), "\n")
		if len(h.old) == lead+trail {
			break
		}
		var in []string
		for file := range files {
			in = append(in, slices.Repeat([]string{file}, occurrences("\n"+files[file], old))...)
		}
		switch {
		case occurrences("\n"+files[h.file], old) == 1:
			in = []string{h.file}
		case len(in) > 1:
			slices.Sort(in)
			return "", "", fmt.Errorf("the lines of the hunk %q are in several places: %s", h.header, strings.Join(in, ", "))
		case len(in) == 0:
			continue
		}
		content = strings.Replace("\n"+files[in[0]], old, replaced, 1)
		return in[0], content[1:], nil
	}
	return "", "", fmt.Errorf("the lines of the hunk %q, of %s, are nowhere in the code of the client and the provider", h.header, h.file)
}

// occurrences counts a part in a text, including overlapping occurrences.
func occurrences(text, part string) (n int) {
	for at := strings.Index(text, part); at >= 0; n++ {
		text = text[at+1:]
		at = strings.Index(text, part)
	}
	return n
}

var kebabCase = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// mistakes describes errors in the form of the patch.
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
	case len(p.hunks) == 0:
		add("there is no diff in it, as git diff makes it")
	case len(p.stray) > 0:
		add(`before the diff is the line %q, which does not begin with "# "`, p.stray[0])
	}
	return all
}
