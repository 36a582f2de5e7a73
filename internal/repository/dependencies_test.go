package repository

import (
	"os/exec"
	"strings"
	"testing"
)

// The fake's interfaces and engines are for tests: the provider depends on none of their
// libraries.
func TestProviderHasNothingOfTheFake(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../..").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dependency := range strings.Lines(string(list)) {
		for _, foreign := range []string{"modelcontextprotocol", "nats-io", "redis", "pgx", "bbolt", "/internal/fakeservice"} {
			if strings.Contains(dependency, foreign) {
				t.Errorf("dependencies of the provider: got %s, want none of the fake", strings.TrimSpace(dependency))
			}
		}
	}
}
