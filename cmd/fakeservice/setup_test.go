package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func setupFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "setup.json")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// An invalid file is an error that names the file and the field.
func TestSetupThatIsWrong(t *testing.T) {
	t.Parallel()
	path := setupFile(t, `{"instances": [{"name": "shop", "plan": "gold"}]}`)
	err := run(t.Context(), []string{"--listen", ":0", "--data-plane", "off", "--setup", path}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), path+`: instances[0].plan: there is no plan "gold"`) {
		t.Errorf("a setup with an unknown plan: got error %v, want one that names the file and the field", err)
	}
	if err := run(t.Context(), []string{"--listen", ":0", "--setup", "/nowhere"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("a setup that is missing: got error %v, want one that names the file", err)
	}
}

// With a data plane, the objects in the file really run.
func TestSetupIsReal(t *testing.T) {
	t.Parallel()
	path := setupFile(t, `{
		"durations": {"build": "1s"},
		"instances": [{"id": "i-shop", "name": "shop", "engines": {"postgres": {}, "apps": {}}, "console_mode": "ro",
			"databases": ["stock"], "extensions": [{"name": "pg_trgm", "database": "stock"}],
			"apps": [{"name": "web", "repo": "octo/app", "health_path": "/healthz", "env": {"WORD": "hello"}}]}]
	}`)
	fake := runFake(t, io.Discard, "--data-plane", "on", "--setup", path, "--speed", "1000",
		"--repo", "octo/app=../../internal/fakeservice/appruntime/testdata/app")
	query := `{"database": "stock", "sql": "SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'"}`
	if answer := fake.call(t, http.MethodPost, "/instances/i-shop/engines/postgres/query", query); answer["rows"].([]any)[0].([]any)[0] != 1.0 {
		t.Errorf("the extension in the database: got %v, want one", answer)
	}
	fake.runs(t, "/instances/i-shop/apps/web")
}
