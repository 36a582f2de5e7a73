package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestCheckProgress(t *testing.T) {
	t.Parallel()
	const running, done, failed = `{"operation":"create","status":"running"}` + "\n", `{"operation":"create","status":"done"}` + "\n", `{"operation":"build","id":"i-1/web","status":"failed"}` + "\n"
	for name, row := range map[string]struct {
		text  string
		fails bool
	}{
		"two jobs":          {running + done + running + done, false},
		"a failed build":    {done + failed, true},
		"nothing":           {"", true},
		"nothing has ended": {running, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "progress")
			must.Do(t, os.WriteFile(path, []byte(row.text), 0o600))
			if err := checkProgress(t.Context(), path); (err != nil) != row.fails {
				t.Errorf("got %v, want an error: %t", err, row.fails)
			}
		})
	}
}
