package guidetest

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	ours      = regexp.MustCompile(`^https://(?:raw\.githubusercontent\.com/instance-hosting/terraform-provider-hosting|github\.com/instance-hosting/terraform-provider-hosting/(?:blob|tree))/main/`)
	anchorTag = regexp.MustCompile(`<a id="([^"]+)"`)
)

// anchors returns the possible targets of links within a page: its headings, as GitHub and
// the Registry name them, and its own anchors.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		var name strings.Builder
		for _, r := range strings.ToLower(match[1]) {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				name.WriteRune(r)
			case r == ' ':
				name.WriteRune('-')
			}
		}
		all[name.String()] = true
	}
	for _, match := range anchorTag.FindAllStringSubmatch(page, -1) {
		all[match[1]] = true
	}
	return all
}

// TestLinks follows each link within the repository: relative ones, and the absolute ones
// to its files on the web, which the Registry needs.
func TestLinks(t *testing.T) {
	all := pages(t)
	followed := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "templates/") {
			continue // its output is in docs
		}
		text := fenced.ReplaceAllString(all[name], "")
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target := match[1]
			from := path.Dir(name)
			if begin := ours.FindString(target); begin != "" {
				target, from = strings.TrimPrefix(target, begin), "."
			}
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(target, "#")
			to := name
			if file != "" {
				to = path.Join(from, file)
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(to))); err != nil {
				t.Errorf("%s: the target of %s: got none, want a file", name, match[1])
				continue
			}
			if anchor != "" && strings.HasSuffix(to, ".md") && !anchors(all[to])[anchor] {
				t.Errorf("%s: the target of %s: got no heading, want one", name, match[1])
			}
		}
	}
	t.Logf("%d links followed", followed)
}

func TestAnchors(t *testing.T) {
	got := anchors("# What an app must satisfy, `x_y`\n```shell\n# no heading\n```\n<a id=\"nested\"></a>\n")
	if !got["what-an-app-must-satisfy-x_y"] || !got["nested"] || len(got) != 2 {
		t.Errorf("anchors: got %v, want what-an-app-must-satisfy-x_y and nested", got)
	}
}
