// Package program builds this project's programs, for tests that run them as people do.
package program

import (
	"fmt"
	"os/exec"
	"path"
)

const module = "github.com/instance-hosting/terraform-provider-hosting"

// Provider is the name under which a CLI looks for the provider's program in a folder.
const Provider = "terraform-provider-hosting"

// Build makes a program at a path, of a package that is named by its folder from the root
// of the repository: "." is the provider, "cmd/fakeservice" the fake. The test that calls
// it is one of this project, and runs in its own folder.
func Build(at, of string) error {
	command := exec.Command("go", "build", "-o", at, path.Join(module, of)) //nolint:noctx // it ends by itself
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", of, err, output)
	}
	return nil
}
