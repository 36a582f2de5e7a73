package repository

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestContributingNamesWhatIsThere asserts that each file and folder that CONTRIBUTING.md
// names from the root exists, so that its checklists lead somewhere.
func TestContributingNamesWhatIsThere(t *testing.T) {
	folders, err := fs.ReadDir(os.DirFS(root), ".")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, parts := range regexp.MustCompile("`(?:\\./)?([\\w.-]+/[\\w./-]*)`").FindAllStringSubmatch(text(t, "CONTRIBUTING.md"), -1) {
		file := strings.TrimSuffix(parts[1], "/")
		top, _, _ := strings.Cut(file, "/")
		isOurs := slices.ContainsFunc(folders, func(f fs.DirEntry) bool { return f.Name() == top })
		if !isOurs || strings.Contains(file, "NOUN") || strings.HasSuffix(file, "...") || slices.Contains([]string{"dist", ".bin"}, top) {
			continue
		}
		checked++
		if _, err := fs.Stat(os.DirFS(root), file); err != nil {
			t.Errorf("CONTRIBUTING.md: got %s, want only files that exist", file)
		}
	}
	if checked < 20 {
		t.Errorf("names that were found: got %d, want at least 20", checked)
	}
}
