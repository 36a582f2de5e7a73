package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

var requirement = regexp.MustCompile(`(?m)^(?:require )?\t?([a-z0-9./-]+\.[a-z]+/[^\s]+) (v[^\s]+)`)

// The app is built on machines that have the provider's modules and perhaps no network, so
// it must use the same versions of modules as the provider.
func TestAppNeedsNoOtherModules(t *testing.T) {
	t.Parallel()
	versions := func(file string) map[string]string {
		text := must.Get(os.ReadFile(file))(t)
		found := map[string]string{}
		for _, match := range requirement.FindAllStringSubmatch(string(text), -1) {
			found[match[1]] = match[2]
		}
		return found
	}
	provider, app := versions("../../go.mod"), versions("../../examples/guestbook/app/go.mod")
	if len(app) < 5 || len(provider) < 20 {
		t.Fatalf("requirements of the provider and of the app: got %d and %d, want at least 20 and 5", len(provider), len(app))
	}
	for name, version := range app {
		if provider[name] != version {
			t.Errorf("the provider's version of %s: got %q, want the app's %s", name, provider[name], version)
		}
	}
}
