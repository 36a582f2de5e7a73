package reports

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeHasEachReport asserts that the table of the README has each report of the
// situations, with its file, and names only files that exist.
func TestReadmeHasEachReport(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, parts := range regexp.MustCompile(`report\(t, "([^"]+)", "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
			found++
			if row := "| " + parts[1] + " | " + parts[2] + " | [" + file + "](" + file + ") |"; !strings.Contains(string(readme), row) {
				t.Errorf("README.md: got no row %s", row)
			}
		}
	}
	if found < 80 {
		t.Errorf("reports with situations: got %d, want at least 80", found)
	}
	for _, parts := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(readme), -1) {
		if _, err := os.Stat(parts[1]); err != nil {
			t.Errorf("README.md names %s, which does not exist", parts[1])
		}
	}
}
