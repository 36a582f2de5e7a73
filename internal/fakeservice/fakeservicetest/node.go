package fakeservicetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// NodeProject copies a folder with a package.json and its lock file, and installs the
// pinned packages there. The test is skipped without Node, and if the registry is
// unreachable.
func NodeProject(t testing.TB, source string) (folder string) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			machine.Lacks(t, "%s is not installed", program)
		}
	}
	folder = filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(folder, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = folder
	if output, err := install.CombinedOutput(); err != nil {
		if unreachable.Match(output) {
			machine.Lacks(t, "npm cannot reach its registry:\n%s", output)
		}
		t.Fatalf("npm ci: %s\n%s", err, output)
	}
	return folder
}

// unreachable matches npm's errors without a network.
var unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH`)
