// Package toolchain tests the provider and its examples with programs that people use
// with Terraform: a language server, a linter, mocks and policies. Its tests run each
// program as people do.
package toolchain

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Find returns the absolute path of such a program: the one that `make toolchain` builds
// into .bin of the repository, or else the one on PATH. Without either it ends the test
// with machine.Lacks.
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
