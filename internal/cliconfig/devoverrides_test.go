package cliconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDevOverrides(t *testing.T) {
	want := `provider_installation {
  dev_overrides {
    "registry.terraform.io/cyrilgdev/postgresql" = "/b"
    "registry.opentofu.org/cyrilgdev/postgresql" = "/b"
    "registry.terraform.io/instance-hosting/hosting" = "/a \"x\""
    "registry.opentofu.org/instance-hosting/hosting" = "/a \"x\""
  }
  direct {}
}
`
	got := DevOverridesOf(map[string]string{Provider: `/a "x"`, "cyrilgdev/postgresql": "/b"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if DevOverrides("/a") != DevOverridesOf(map[string]string{Provider: "/a"}) {
		t.Error(DevOverrides("/a"))
	}
}
