package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sections are the sections that a version of CHANGELOG.md may have, in their order.
var sections = []string{"BREAKING CHANGES:", "NOTES:", "FEATURES:", "ENHANCEMENTS:", "BUG FIXES:"}

// versionHeading matches a version and its date, or "Unreleased".
var versionHeading = regexp.MustCompile(`^## (\d+\.\d+\.\d+) \((Unreleased|\w+ \d{1,2}, \d{4})\)$`)

// TestChangelogHasItsForm asserts the structure that tools and people expect.
func TestChangelogHasItsForm(t *testing.T) {
	version, last := "", -1
	for i, line := range strings.Split(text(t, "CHANGELOG.md"), "\n") {
		section := slices.Index(sections, line)
		switch {
		case strings.HasPrefix(line, "## "):
			parts := versionHeading.FindStringSubmatch(line)
			if parts == nil {
				t.Fatalf("line %d: got %s, want a version heading", i+1, line)
			}
			if parts[2] == "Unreleased" && version != "" {
				t.Errorf("line %d: got a later version unreleased, want only the first one", i+1)
			}
			version, last = parts[1], -1
		case section >= 0 && section <= last:
			t.Errorf("line %d: %s: got %s after %s, want it before", i+1, version, line, sections[last])
		case section >= 0:
			last = section
		case strings.HasPrefix(line, "- ") && last < 0:
			t.Errorf("line %d: got %s in no section, want it in one", i+1, line)
		case line != "" && version != "" && !strings.HasPrefix(line, "- "):
			t.Errorf("line %d: got %s, want a section or an entry", i+1, line)
		}
	}
	if version == "" {
		t.Error("CHANGELOG.md: got no version, want at least one")
	}
}

// kinds are the folders of docs/ whose pages CHANGELOG.md announces, and the words.
var kinds = map[string]string{
	"resources":           "New Resource",
	"data-sources":        "New Data Source",
	"ephemeral-resources": "New Ephemeral Resource",
	"list-resources":      "New List Resource",
	"actions":             "New Action",
	"functions":           "New Function",
}

// TestChangelogAnnouncesEveryType asserts that the changelog announces exactly the
// documented types.
func TestChangelogAnnouncesEveryType(t *testing.T) {
	changelog := text(t, "CHANGELOG.md")
	for folder, words := range kinds {
		var announced, documented []string
		for _, parts := range regexp.MustCompile(`(?m)^- \*\*`+words+":\\*\\* `([a-z0-9_]+)`").FindAllStringSubmatch(changelog, -1) {
			announced = append(announced, strings.TrimPrefix(parts[1], "hosting_"))
		}
		pages, err := filepath.Glob(filepath.Join(root, "docs", folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			documented = append(documented, strings.TrimSuffix(filepath.Base(page), ".md"))
		}
		slices.Sort(announced)
		if !slices.Equal(announced, documented) {
			t.Errorf("%s: got %v in docs/%s, want %v, as CHANGELOG.md announces; make generate writes docs", words, documented, folder, announced)
		}
	}
}

// text returns a file of the repository.
func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
