package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCountSteps(t *testing.T) {
	t.Parallel()
	const running, done, failed = `{"operation":"create","status":"running"}` + "\n", `{"operation":"create","status":"done"}` + "\n", `{"operation":"build","id":"i-1/web","status":"failed"}` + "\n"
	for name, row := range map[string]struct {
		text  string
		want  int
		fails bool
	}{
		"two jobs":          {running + done + running + done, 2, false},
		"a failed build":    {done + failed, 0, true},
		"nothing":           {"", 0, true},
		"nothing has ended": {running, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "progress")
			if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := countSteps(t.Context(), path); got != row.want || (err != nil) != row.fails {
				t.Errorf("got %d and %v, want %d and an error: %t", got, err, row.want, row.fails)
			}
		})
	}
}
