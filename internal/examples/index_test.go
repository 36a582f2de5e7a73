package examples

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var indexed = regexp.MustCompile(`\[([\w/-]+)\]\(([\w/-]+)\)`)

// TestIndexNamesEachExample compares examples/README.md with the folders: each folder of a
// kind of snippets, and each whole configuration, has a line, and each line has a folder.
func TestIndexNamesEachExample(t *testing.T) {
	t.Parallel()
	lines := map[string]bool{}
	for line := range strings.Lines(text(t, "README.md")) {
		if !strings.HasPrefix(line, "| [") {
			continue
		}
		for _, match := range indexed.FindAllStringSubmatch(line, -1) {
			if match[1] != match[2] {
				t.Errorf("the link %s: got the target %s, want the same", match[1], match[2])
			}
			if info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(match[2]))); err != nil || !info.IsDir() {
				t.Errorf("examples/README.md: got %s, want only folders", match[2])
			}
			lines[match[2]] = true
		}
	}
	for _, file := range configurationFiles(t) {
		example := path.Dir(file)
		for !lines[example] && example != "." {
			example = path.Dir(example)
		}
		if example == "." {
			t.Errorf("examples/README.md: got no line of %s, want one", path.Dir(file))
		}
	}
	// A line of a parent folder would hide a missing line of a subfolder.
	for _, kind := range []string{"modules", "environments"} {
		if lines[kind] {
			t.Errorf("examples/README.md: got a line of %s as a whole, want one of each folder in it", kind)
		}
	}
}
