// Package cliconfig writes the CLI configuration, which TF_CLI_CONFIG_FILE names, for
// programs that run Terraform or OpenTofu with a locally built provider.
package cliconfig

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Provider is this project's provider, by its source address without the registry's host.
const Provider = "instance-hosting/hosting"

// hosts are the default registries of Terraform and OpenTofu.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// Addresses returns the provider's source addresses in both registries.
func Addresses() (all []string) {
	for _, host := range hosts {
		all = append(all, host+"/"+Provider)
	}
	return all
}

// DevOverrides returns a configuration with which a CLI uses this project's provider from
// the folder that it was built into. The program's name is terraform-provider-hosting. An
// init is then unnecessary, except for modules, which `get` installs.
func DevOverrides(folder string) string {
	return DevOverridesOf(map[string]string{Provider: folder})
}

// DevOverridesOf is like DevOverrides for any providers, given as folders by source
// address. Each is found under Terraform's registry and under OpenTofu's.
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
