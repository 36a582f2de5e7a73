package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInherited(t *testing.T) {
	t.Parallel()
	got := inherited([]string{"PATH=/bin", "TF_CLI_ARGS=-lock=false", "TF_LOG=debug", "TF_VAR_plan=big", "HOSTING_API_KEY=real", "HOME=/h"})
	if diff := cmp.Diff([]string{"PATH=/bin", "TF_LOG=debug", "HOME=/h"}, got); diff != "" {
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
