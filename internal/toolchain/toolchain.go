// Package toolchain holds the provider and its examples to the programs that people use
// beside Terraform: a language server, a linter, mocks and policies. Its tests run each of
// them as people do.
package toolchain

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Find is the absolute path of such a program: the one that `make toolchain` builds into
// .bin of the repository, or else that of PATH. Without either it ends the test, as
// machine.Lacks does.
func Find(t testing.TB, repository, name string) string {
	t.Helper()
	for _, place := range []string{filepath.Join(repository, ".bin", name), name} {
		if path, err := exec.LookPath(place); err == nil {
			if path, err = filepath.Abs(path); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	machine.Lacks(t, "there is no %s; make toolchain builds it", name)
	return ""
}
