package repository

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Citations of the service's description, in code and documents.
var (
	citedSection = regexp.MustCompile(`\bSERVICE\.md#([\w-]*)`)
	citedPart    = regexp.MustCompile(`\bopenapi\.yaml#([\w/{}~-]*)`)
	// outsideSource is a page that is not in the repository, so no reader finds it.
	outsideSource = regexp.MustCompile(`\b(service|contract)\.md`)
)

const (
	servicePage = "internal/apispec/SERVICE.md"
	apiDocument = "internal/apispec/openapi.yaml"
)

// TestCitationsLeadSomewhere checks that each cited section of SERVICE.md and each cited
// part of openapi.yaml exists, and that nothing else is cited as the source of a fact.
func TestCitationsLeadSomewhere(t *testing.T) {
	sections := sectionsOf(text(t, servicePage))
	var document any
	read(t, apiDocument, &document)
	cited := 0
	for _, file := range filesOf(t) {
		switch filepath.Ext(file) {
		case ".go", ".md", ".tmpl", ".yaml", ".yml", ".patch":
		default:
			continue
		}
		content := text(t, file)
		if source := outsideSource.FindString(content); source != "" {
			t.Errorf("%s: got a citation of %s, which is not in the repository, want one of a section of %s", file, source, servicePage)
		}
		for _, parts := range citedPart.FindAllStringSubmatch(content, -1) {
			cited++
			if !hasPart(document, parts[1]) {
				t.Errorf("%s: got a citation of %s, want only parts of %s", file, parts[0], apiDocument)
			}
		}
		for _, parts := range citedSection.FindAllStringSubmatch(content, -1) {
			cited++
			if !sections[parts[1]] {
				t.Errorf("%s: got a citation of %s, want only sections of %s", file, parts[0], servicePage)
			}
		}
	}
	if cited < 50 {
		t.Errorf("citations: got %d, want at least 50", cited)
	}
	for _, parts := range regexp.MustCompile(`\]\(#([\w-]+)\)`).FindAllStringSubmatch(text(t, servicePage), -1) {
		if !sections[parts[1]] {
			t.Errorf("%s: got a link to #%s, want only links to its sections", servicePage, parts[1])
		}
	}
}

// TestGlossaryIsShort checks that no more than 15 words need an explanation.
func TestGlossaryIsShort(t *testing.T) {
	_, glossary, _ := strings.Cut(text(t, servicePage), "\n## Glossary\n")
	rows := strings.Count(glossary, "\n| ") - 2 // without the heading and the line below it
	if rows < 1 || rows > 15 {
		t.Errorf("words in the glossary of %s: got %d, want 1 to 15", servicePage, rows)
	}
}

// sectionsOf returns the anchors of a page's sections.
func sectionsOf(page string) map[string]bool {
	sections := map[string]bool{}
	for _, parts := range regexp.MustCompile(`(?m)^#{2,} (.+)$`).FindAllStringSubmatch(page, -1) {
		sections[strings.ReplaceAll(strings.ToLower(parts[1]), " ", "-")] = true
	}
	return sections
}

// hasPart reports whether a document has a part, by its JSON pointer.
func hasPart(document any, pointer string) bool {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for i, name := range strings.Split(pointer, "/") {
		if i == 0 {
			if name != "" {
				return false
			}
			continue
		}
		members, ok := document.(map[string]any)
		if !ok {
			return false
		}
		if document, ok = members[unescape.Replace(name)]; !ok {
			return false
		}
	}
	return pointer != ""
}
