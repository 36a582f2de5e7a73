package guidetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// TestFirstConfiguration pastes only the first block of the README and of the index into an
// empty folder, and checks that it can be initialized, applied, and settled.
func TestFirstConfiguration(t *testing.T) {
	for _, page := range []string{"README.md", "docs/index.md"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text := must.Get(os.ReadFile(filepath.Join(repository, page)))(t)
			reader := openTerminal(t, startFake(t).variables()...)
			for _, b := range blocksOf(string(text)) {
				if b.language != "terraform" {
					continue
				}
				reader.write("main.tf", b.text)
				output := reader.run("terraform init\nterraform apply\nterraform plan -detailed-exitcode", true)
				if reader.exit != 0 || !shows(output, "Apply complete! Resources: 3 added, 0 changed, 0 destroyed. … No changes.") {
					t.Errorf("the first configuration: got exit code %d, want 0 and three objects:\n%s", reader.exit, output)
				}
				return
			}
			t.Error("blocks of configuration: got none, want at least one")
		})
	}
}
