package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestInherited(t *testing.T) {
	t.Parallel()
	got := inherited([]string{"PATH=/bin", "TF_CLI_ARGS=-lock=false", "TF_LOG=debug", "TF_VAR_plan=big", "HOSTING_API_KEY=real", "HOME=/h"})
	if diff := cmp.Diff([]string{"PATH=/bin", "TF_LOG=debug", "HOME=/h"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestCopyModule(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, name := range []string{"main.tf", "schema.sql", "terraform.tfstate", "mine.auto.tfvars", "README.md"} {
		must.Do(t, os.WriteFile(filepath.Join(from, name), []byte(name), 0o600))
	}
	must.Do(t, copyModule(from, to))
	entries := must.Get(os.ReadDir(to))(t)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	if diff := cmp.Diff([]string{"main.tf", "schema.sql"}, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestShellExports(t *testing.T) {
	t.Parallel()
	got := shellExports([]string{"A=b", "C=it's"})
	if want := "export A='b'\nexport C='it'\\''s'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
