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
		t.Errorf("DevOverridesOf (-want +got):\n%s", diff)
	}
	if DevOverrides("/a") != DevOverridesOf(map[string]string{Provider: "/a"}) {
		t.Errorf("DevOverrides(/a): got %s, want that of a map with the provider", DevOverrides("/a"))
	}
}
