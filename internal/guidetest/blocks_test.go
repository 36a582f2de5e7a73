package guidetest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
	"github.com/instance-hosting/terraform-provider-hosting/internal/snippettest"
)

// TestBlocks validates each block of configuration in the published pages, together with
// declarations of the objects that it refers to. It also checks the format of terraform
// fmt. A guide's block that is a file is only checked for the format, because another test
// runs it.
func TestBlocks(t *testing.T) {
	programs, _ := install(t)
	config := overrides(t)
	total, files := 0, 0
	seen := map[string]bool{}
	all := pages(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(page, "templates/") {
			continue // its output is in docs
		}
		for _, b := range blocksOf(all[page]) {
			if b.language == "hcl" {
				t.Errorf("%s:%d: got the language hcl, want terraform, as the Registry writes it", page, b.line)
			}
			if b.language != "terraform" || seen[b.text] {
				continue
			}
			seen[b.text] = true
			total++
			isFile := strings.HasPrefix(page, "docs/guides/") && b.file() != ""
			if isFile {
				files++
			}
			if strings.HasPrefix(page, "docs/guides/") && !isFile {
				t.Errorf("%s:%d: got a block without a name, want a comment of its file's name first", page, b.line)
			}
			t.Run(fmt.Sprintf("%s:%d", page, b.line), func(t *testing.T) {
				t.Parallel()
				validate(t, filepath.Join(programs, "terraform"), config, b.text, isFile)
			})
		}
	}
	t.Logf("%d different blocks: %d validated, %d of guides, which are run", total, total-files, files)
}

// overrides returns a CLI configuration that needs no init.
func overrides(t *testing.T) string {
	t.Helper()
	programs, _ := install(t)
	providers := filepath.Join(t.TempDir(), "providers")
	must.Do(t, program.Build(filepath.Join(providers, "terraform-provider-postgresql"), "internal/guidetest/testdata/postgresql"))
	mirrored, err := filepath.Glob(filepath.Join(filepath.Dir(programs), "mirror", "registry.terraform.io", "*", "*", "*", "*", "terraform-provider-hosting_*"))
	if err != nil || len(mirrored) != 1 {
		t.Fatalf("the mirrored provider: got %v (%v), want one", mirrored, err)
	}
	path := filepath.Join(t.TempDir(), "cli.tfrc")
	text := cliconfig.DevOverridesOf(map[string]string{cliconfig.Provider: filepath.Dir(mirrored[0]), "cyrilgdev/postgresql": providers})
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func validate(t *testing.T, cli, config, text string, formOnly bool) {
	folder := t.TempDir()
	name, command := "block.tf", []string{"validate", "-no-color"}
	if strings.Contains("\n"+text, "\nlist \"") {
		name, command = "block.tfquery.hcl", append(command, "-query")
	}
	if strings.Contains("\n"+text, "\nrun \"") {
		name = "block.tftest.hcl"
	}
	for file, content := range map[string]string{name: text, "around.tf": snippettest.Of(text).Configuration()} {
		must.Do(t, os.WriteFile(filepath.Join(folder, file), []byte(content), 0o600))
	}
	run := func(args ...string) {
		command := exec.Command(cli, args...)
		command.Dir = folder
		command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+config, "CHECKPOINT_DISABLE=1")
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("terraform %s: %v\n%s\n%s", strings.Join(args, " "), err, output, text)
		}
	}
	run("fmt", "-check", "-diff", name)
	if !formOnly {
		run(command...)
	}
}
