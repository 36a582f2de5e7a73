package toolchain

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofWholeModules are the options that disable rules for whole modules. A fragment on a
// page of the documentation neither declares its requirements nor uses everything that it
// shows.
var ofWholeModules = []string{
	"--disable-rule=terraform_required_version", "--disable-rule=terraform_required_providers", "--disable-rule=terraform_unused_declarations",
}

// The linter finds nothing in any example with the rules of the repository. A module that
// declares its requirements is checked with all of them.
func TestExamplesAreLinted(t *testing.T) {
	t.Parallel()
	examples := repository + "/examples"
	if findings := lint(t, examples, append([]string{"--recursive"}, ofWholeModules...)...); findings != "" {
		t.Errorf("findings in %s: got\n%s\nwant none", examples, findings)
	}
	modules := 0
	for folder := range wholeModules(t, examples) {
		modules++
		if findings := lint(t, folder); findings != "" {
			t.Errorf("findings in %s: got\n%s\nwant none", folder, findings)
		}
	}
	if modules == 0 {
		t.Error("modules among the examples: got 0, want at least 1")
	}
	t.Logf("%d modules were held to all rules", modules)
}

// The linter finds mistakes, so an empty result is meaningful.
func TestLinterFinds(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text := "variable \"unused\" {\n  type = string\n}\n\noutput \"name\" {\n  value = \"${local.name}\"\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	findings := lint(t, folder)
	for _, rule := range []string{"terraform_unused_declarations", "terraform_required_version"} {
		if !strings.Contains(findings, rule) {
			t.Errorf("the findings: got\n%s\nwant %s in them", findings, rule)
		}
	}
}

// lint returns the findings of tflint in a folder, or "" if there are none.
func lint(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	rules, err := filepath.Abs(repository + "/.tflint.hcl")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), Find(t, repository, "tflint"),
		slices.Concat([]string{"--chdir", folder, "--config", rules, "--format", "compact", "--no-color"}, arguments)...)
	output, err := command.CombinedOutput()
	const found = 2 // the exit code for findings
	if err != nil && command.ProcessState.ExitCode() != found {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, output)
	}
	return string(output)
}

// wholeModules returns the folders whose configuration declares its required providers.
func wholeModules(t *testing.T, root string) map[string]bool {
	t.Helper()
	folders := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".tf" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "required_providers") {
			folders[filepath.Dir(path)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}
