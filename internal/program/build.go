// Package program builds this project's programs, for tests that run them as users do.
package program

import (
	"fmt"
	"os/exec"
	"path"
)

const module = "github.com/instance-hosting/terraform-provider-hosting"

// Provider is the file name of the provider's program that a CLI looks for in a folder.
const Provider = "terraform-provider-hosting"

// Build builds the program of a package at a path. The package is named by its folder
// relative to the repository's root: "." is the provider, "cmd/fakeservice" the fake. The
// caller must be a test of this project that runs in its own folder.
func Build(at, of string) error {
	command := exec.Command("go", "build", "-o", at, path.Join(module, of)) //nolint:noctx // it ends by itself
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", of, err, output)
	}
	return nil
}
