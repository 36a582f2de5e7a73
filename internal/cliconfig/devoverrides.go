// Package cliconfig writes the configuration of a CLI, which TF_CLI_CONFIG_FILE names, for
// whoever runs Terraform or OpenTofu with a provider that was built and not released.
package cliconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Provider is this project's provider, by its source address without the registry's host.
const Provider = "instance-hosting/hosting"

// hosts are the registries of which Terraform and OpenTofu take a provider that is named
// without one.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// DevOverrides is a configuration with which a CLI takes this project's provider from the
// folder that it was built into, under the name terraform-provider-hosting. No init is
// needed then, but for modules, which `get` installs.
func DevOverrides(folder string) string {
	return DevOverridesOf(map[string]string{Provider: folder})
}

// DevOverridesOf is DevOverrides for any providers: their folders by source address. Each
// is found under the registry of Terraform and under that of OpenTofu.
func DevOverridesOf(folders map[string]string) string {
	var text strings.Builder
	text.WriteString("provider_installation {\n  dev_overrides {\n")
	for _, source := range slices.Sorted(maps.Keys(folders)) {
		for _, host := range hosts {
			fmt.Fprintf(&text, "    %q = %q\n", host+"/"+source, folders[source])
		}
	}
	text.WriteString("  }\n  direct {}\n}\n")
	return text.String()
}
