package guidetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oasdiff/yaml"
)

// A workflow is the part of a GitHub workflow file that is run here.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Name, Uses, Run string
			Env             map[string]string
		}
	}
}

// TestWorkflow types the steps of the example workflow into a terminal, in a folder with
// the example module, like GitHub's runner. The lines that a step adds to the file
// GITHUB_ENV are in the environment of the next step. The actions that it uses (the
// checkout, Terraform, Go) and the programs that it installs are already present. Steps
// that are only for failures run as well.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repository, "examples/ci/module-tests.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var read workflow
	if _, err := yaml.Unmarshal(text, &read, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	reader := openTerminal(t)
	if err := os.CopyFS(reader.folder, os.DirFS(filepath.Join(repository, "examples/modules/app-stack"))); err != nil {
		t.Fatal(err)
	}
	tested := false
	for _, step := range read.Jobs["test"].Steps {
		installs := step.Run == "go install github.com/instance-hosting/terraform-provider-hosting/cmd/fakeservice@latest"
		if step.Uses != "" || installs {
			continue
		}
		command := "export GITHUB_ENV=" + reader.memory + "/next\n"
		for name, value := range step.Env {
			command += "export " + name + "='" + value + "'\n"
		}
		command += step.Run + "\nif [ -f \"$GITHUB_ENV\" ]; then set -a; . \"$GITHUB_ENV\"; set +a; fi\n"
		said := reader.run(command, true)
		if reader.exit != 0 {
			t.Fatalf("step %q: got exit code %d, want 0:\n%s", step.Name, reader.exit, said)
		}
		tested = tested || shows(said, "Success! 6 passed, 0 failed.")
	}
	if !tested {
		t.Error("steps that have run the module's tests: got none, want one")
	}
}
