package manual

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestSpelling looks for words that are often misspelt, with the list that the linter has
// for Go.
func TestSpelling(t *testing.T) {
	command := exec.Command("go", "run", "github.com/golangci/misspell/cmd/misspell", "-error")
	for _, name := range slices.Sorted(maps.Keys(pages(t))) {
		command.Args = append(command.Args, "../"+name)
	}
	command.Dir = repository + "/tools"
	command.Env = append(command.Environ(), "GOWORK=off") // tools is a module outside the workspace
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, strings.ReplaceAll(string(output), "../", ""))
	}
}
