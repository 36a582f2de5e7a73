package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A server in somebody's folder sees its own parts of it, and nothing else of theirs.
func TestInstallation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"bin", "share", ".ssh", "state"} {
		must.Do(t, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	must.Do(t, os.WriteFile(filepath.Join(folder, "lib"), nil, 0o600))
	var want []process.Mount
	for _, name := range []string{"bin", "share"} {
		part := filepath.Join(folder, name)
		want = append(want, process.Mount{Point: part, Source: part})
	}
	if diff := cmp.Diff(want, installation(filepath.Join(folder, "bin", "postgres"))); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}
