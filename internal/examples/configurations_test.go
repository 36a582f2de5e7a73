package examples

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A configuration is a whole root module.
type configuration struct {
	variables map[string]any
	psql      bool // whether it connects by itself, to a real Postgres
	// does tests the special features of the configuration, after it is applied and
	// settled.
	does func(t *testing.T, w *workspace)
}

// newConfiguration returns a workspace with a folder of the examples, and next to it the
// modules that it may call.
func newConfiguration(t *testing.T, fake *fakeservicetest.Server, of string, variables map[string]any) *workspace {
	t.Helper()
	w := newWorkspace(t, fake)
	for _, part := range []string{"modules", of} {
		to := filepath.Join(w.folder, filepath.FromSlash(part))
		if _, err := os.Stat(to); err == nil {
			continue // it is one of the modules
		}
		must.Do(t, os.CopyFS(to, os.DirFS(filepath.Join(folder, filepath.FromSlash(part)))))
	}
	w.folder = filepath.Join(w.folder, filepath.FromSlash(of))
	w.set(variables)
	// Modules are installed without an init, which would search a registry for the
	// provider.
	if strings.Contains(w.configuration(), "\nmodule ") {
		w.terraform("get")
	}
	return w
}

// apply applies the configuration in the files, plans it empty and destroys it.
func (c configuration) apply(t *testing.T, files []string) {
	var options []func(*fakeservice.Options)
	if c.psql {
		needsPSQL(t)
		options = append(options, withPostgres(t))
	}
	fake := startFake(t, options...)
	w := newConfiguration(t, fake, path.Dir(files[0]), c.variables)
	w.apply()
	w.mustBeSettled()
	if c.does != nil {
		c.does(t, w)
	}
	w.destroy()
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s after the destroy: got %d, want none", what, n)
		}
	}
}

// appStack is the reusable module, as a root module.
var appStack = configuration{variables: map[string]any{
	"name": "stack", "region": "eu-central", "plan": "medium", "app": map[string]any{"repo": "acme/shop", "memory_mb": 1024},
	"databases": map[string][]string{"orders": {"pgcrypto", "pgvector"}, "catalogue": {}}, "webhook_url": "https://events.example.com/shop",
	"secret_env": map[string]string{"PAYMENT_TOKEN": "tok-4a1f00c2"}, "secret_env_version": 1, "deletion_protection": false,
}}

// testModule runs the module's own tests.
func testModule(t *testing.T, files []string) {
	fake := startFake(t)
	w := newConfiguration(t, fake, path.Dir(path.Dir(files[0])), nil)
	said := w.terraform("test")
	for _, file := range files {
		says(t, said, "tests/"+path.Base(file)+"... pass")
		for _, run := range strings.Split(text(t, file), "\nrun \"")[1:] {
			name, _, _ := strings.Cut(run, "\"")
			says(t, said, `run "`+name+`"... pass`)
		}
	}
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s after the test: got %d, want none", what, n)
		}
	}
}

// postgresRoles checks with psql what the read-only role sees.
var postgresRoles = configuration{psql: true, does: func(t *testing.T, w *workspace) {
	// Without the policy, the check must fail the apply.
	script := text(t, "postgres-roles/policy.sql")
	w.write("policy.sql", strings.Replace(script, "ENABLE ROW LEVEL SECURITY", "DISABLE ROW LEVEL SECURITY", 1))
	said, exit := w.run("terraform", "apply", "-auto-approve", "-no-color")
	if exit == 0 {
		t.Error("the check without a policy: got exit code 0, want another")
	}
	says(t, said, "drafts are shown to readonly")
	w.write("policy.sql", script)
	w.apply()
	w.mustBeSettled()
}}

// keyRotation rotates on another day, and by hand.
var keyRotation = configuration{
	variables: map[string]any{"rotated_on": "2026-11-22"},
	does: func(t *testing.T, w *workspace) {
		password := func() string {
			record, err := w.fake.Connection(t.Context(), w.fake.Instances()[0].ID)
			if err != nil || record.Engines.Postgres == nil {
				t.Fatalf("the connection record: got %+v (%v), want one with postgres", record, err)
			}
			return record.Engines.Postgres.OwnerURL
		}
		first := password()
		w.set(map[string]any{"rotated_on": "2026-12-01"})
		says(t, w.apply(), "Actions: 1 invoked.")
		second := password()
		w.mustBeSettled()
		says(t, w.apply("-invoke=action.hosting_instance_rotate.passwords"), "Actions: 1 invoked.")
		if third := password(); first == second || second == third {
			t.Errorf("the passwords: got %s, %s, %s, want each to differ from the one before", first, second, third)
		}
	},
}

// needsPSQL ends a test on a machine without psql.
func needsPSQL(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("psql"); err != nil {
		machine.Lacks(t, "%s", err)
	}
}
