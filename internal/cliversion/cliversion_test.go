package cliversion

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCapabilitiesByVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Terraform v1.11.4\non linux_amd64\n":        "skipped by version: Terraform 1.11.4 has no actions, which came with 1.14.0",
		"Terraform v1.14.0\n":                        "",
		"Terraform v1.16.4\n":                        "",
		"OpenTofu v1.12.6\non linux_amd64\n":         "skipped by version: OpenTofu 1.12.6 has no actions",
		"A warning first.\n\nOpenTofu v1.16.0-rc1\n": "skipped by version: OpenTofu 1.16.0-rc1 has no actions",
	} {
		cli := filepath.Join(t.TempDir(), "cli")
		if err := os.WriteFile(cli, []byte("#!/bin/sh\ncat <<'end'\n"+text+"end\n"), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		version, err := Of(t.Context(), cli)
		if err != nil {
			t.Fatal(err)
		}
		if got := version.Lacks(ProviderActions); got != want {
			t.Errorf("what %q lacks: got %q, want %q", text, got, want)
		}
	}
}
