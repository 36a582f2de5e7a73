package repository

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A Promise is a promise of README.md.
type Promise struct {
	Name string // the name in ASSURANCE.md
	Text string // the whole promise, on one line
}

// Evidence is something that fails if a promise is broken.
type Evidence struct {
	Kind string // a word of evidenceKinds
	Name string
	Path string // of its file, from the root, with slashes
	Says string // a description; "" if the name suffices
}

// evidenceKinds are the kinds of evidence, each with a pattern for the line that shows it
// in its file. NAME stands for the name.
var evidenceKinds = map[string]string{
	"test":             `^func NAME\(t \*testing\.T\)`,
	"fuzz target":      `^func NAME\(f \*testing\.F\)`,
	"benchmark":        `^func NAME\(b \*testing\.B\)`,
	"fault row":        `^\t\{NAME, "`,
	"simulation check": `check = "NAME"$`,
	"planted bug":      `^# `,                         // a patch is the bug, and its first line describes it
	"run":              `^  NAME:|step: \[.*\bNAME\b`, // a job of a workflow, or one of .ci/run's steps
}

var (
	promiseLine  = regexp.MustCompile(`^- \*\*([^*]+?)\.?\*\*(.*)$`)
	evidenceLine = regexp.MustCompile(`^- ([a-z ]+) \[([^\]]+)\]\(([^)]+)\)(?:: (.+))?$`)
)

// Promises reads the promises of a README: the list under the heading "What it promises",
// in which each begins with its name in bold.
func Promises(readme string) ([]Promise, error) {
	_, section, found := strings.Cut(readme, "\n## What it promises\n")
	if !found {
		return nil, fmt.Errorf(`there is no heading "What it promises"`)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var promises []Promise
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		parts := promiseLine.FindStringSubmatch(line)
		if parts == nil {
			return nil, fmt.Errorf("this promise has no name in bold: %s", line)
		}
		promises = append(promises, Promise{Name: parts[1], Text: strings.ReplaceAll(strings.TrimPrefix(line, "- "), "**", "")})
	}
	return promises, nil
}

// EvidenceByPromise reads a page that has a heading for each promise, and under it a list
// of evidence, each a kind and a link.
func EvidenceByPromise(page string) (map[string][]Evidence, error) {
	by, of := map[string][]Evidence{}, ""
	for i, line := range strings.Split(page, "\n") {
		if name, found := strings.CutPrefix(line, "## "); found {
			of, by[name] = name, nil
			continue
		}
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		parts := evidenceLine.FindStringSubmatch(line)
		if parts == nil || evidenceKinds[parts[1]] == "" || of == "" {
			return nil, fmt.Errorf("line %d is not evidence of a promise: %s", i+1, line)
		}
		by[of] = append(by[of], Evidence{Kind: parts[1], Name: parts[2], Path: parts[3], Says: parts[4]})
	}
	return by, nil
}

// Line returns the line of the evidence in its file, counted from 1.
func (e Evidence) Line(root fs.FS) (int, error) {
	content, err := fs.ReadFile(root, e.Path)
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w", e.Kind, e.Name, err)
	}
	if e.Kind == "planted bug" && path.Base(e.Path) != e.Name+".patch" {
		return 0, fmt.Errorf("%s %s is not %s", e.Kind, e.Name, e.Path)
	}
	shows := regexp.MustCompile("(?m)" + strings.ReplaceAll(evidenceKinds[e.Kind], "NAME", regexp.QuoteMeta(e.Name)))
	at := shows.FindIndex(content)
	if at == nil {
		return 0, fmt.Errorf("%s has no %s %s", e.Path, e.Kind, e.Name)
	}
	return 1 + bytes.Count(content[:at[0]], []byte("\n")), nil
}

// Assure reports the evidence for each promise. It also returns errors for promises without
// evidence, for missing evidence, and for evidence without a promise.
func Assure(root fs.FS) (report string, wrong []error) {
	readme, err := fs.ReadFile(root, "README.md")
	if err != nil {
		return "", []error{err}
	}
	page, err := fs.ReadFile(root, "ASSURANCE.md")
	if err != nil {
		return "", []error{err}
	}
	promises, err := Promises(string(readme))
	if err != nil {
		return "", []error{fmt.Errorf("README.md: %w", err)}
	}
	by, err := EvidenceByPromise(string(page))
	if err != nil {
		return "", []error{fmt.Errorf("ASSURANCE.md: %w", err)}
	}
	var text strings.Builder
	for _, promise := range promises {
		fmt.Fprintf(&text, "%s\n", promise.Text)
		if len(by[promise.Name]) == 0 {
			wrong = append(wrong, fmt.Errorf("nothing holds the promise %q", promise.Name))
		}
		for _, evidence := range by[promise.Name] {
			line, err := evidence.Line(root)
			if err != nil {
				wrong = append(wrong, err)
				continue
			}
			said := evidence.Name
			if evidence.Says != "" {
				said += ": " + evidence.Says
			}
			fmt.Fprintf(&text, "  %-17s %s\n  %17s %s:%d\n", evidence.Kind, said, "", evidence.Path, line)
		}
		text.WriteString("\n")
		delete(by, promise.Name)
	}
	for name := range by {
		wrong = append(wrong, fmt.Errorf("README.md does not promise %q", name))
	}
	return text.String(), wrong
}
