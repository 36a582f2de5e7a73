package guidetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A workflow is the part of a GitHub workflow file that is run here.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Name, Uses, Run string
			Env             map[string]string
			With            map[string]any
		}
	}
}

// workflowIn reads a workflow file.
func workflowIn(t *testing.T, text string) workflow {
	t.Helper()
	var read workflow
	must.Get(yaml.Unmarshal([]byte(text), &read, yaml.DecodeOpts{}))(t)
	return read
}

// TestWorkflow types the steps of the example workflow into a terminal, in a folder with
// the example module, like GitHub's runner. The lines that a step adds to the file
// GITHUB_ENV are in the environment of the next step. The actions that it uses (the
// checkout, Terraform, Go) and the programs that it installs are already present. Steps
// that are only for failures run as well.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	text := must.Get(os.ReadFile(filepath.Join(repository, "examples/ci/module-tests.yml")))(t)
	read := workflowIn(t, string(text))
	reader := openTerminal(t)
	must.Do(t, os.CopyFS(reader.folder, os.DirFS(filepath.Join(repository, "examples/modules/app-stack"))))
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

// usesState matches commands that read or write the state of the checked-out configuration.
var usesState = regexp.MustCompile(`(?m)^\s*terraform (apply|destroy|plan|show|workspace)\b`)

// mistakesIn returns the reasons why the jobs of a workflow do not do what a reader expects:
//
//   - The wrapper of hashicorp/setup-terraform exits with 0 if Terraform exits with 2
//     (hashicorp/setup-terraform#328), so a check for drift never fails.
//   - A runner discards its files, so a local state is lost after each run.
func mistakesIn(w workflow) []string {
	var mistakes []string
	for name, job := range w.Jobs {
		wrapped, backend := false, false
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "hashicorp/setup-terraform@") {
				wrapped = step.With["terraform_wrapper"] != false
			}
			backend = backend || strings.Contains(step.Run, "backend")
			if wrapped && strings.Contains(step.Run, "-detailed-exitcode") {
				mistakes = append(mistakes, name+": the wrapper hides the exit code of -detailed-exitcode")
			}
			if !backend && usesState.MatchString(step.Run) {
				mistakes = append(mistakes, name+": the state is local: "+step.Run)
			}
		}
	}
	return mistakes
}

// TestWorkflowsOfGuides reads each workflow of the guides, which are only shown there.
func TestWorkflowsOfGuides(t *testing.T) {
	guides := must.Get(filepath.Glob(repository + "/docs/guides/*.md"))(t)
	workflows := 0
	for _, path := range guides {
		page := must.Get(os.ReadFile(path))(t)
		for _, b := range blocksOf(string(page)) {
			if !strings.HasPrefix(b.file(), ".github/workflows/") {
				continue
			}
			workflows++
			for _, mistake := range mistakesIn(workflowIn(t, b.text)) {
				t.Errorf("%s:%d: %s", filepath.Base(path), b.line, mistake)
			}
		}
	}
	if workflows < 3 {
		t.Errorf("workflows in guides: got %d, want at least 3", workflows)
	}
}

func TestMistakesIn(t *testing.T) {
	for name, row := range map[string]struct {
		with, run string
		want      int
	}{
		"drift":                 {"terraform_wrapper: false", "cp pipeline/backend.tf .\n          terraform plan -detailed-exitcode", 0},
		"hidden exit code":      {"terraform_version: 1.11.4", "cp pipeline/backend.tf .\n          terraform plan -detailed-exitcode", 1},
		"backend configuration": {"terraform_version: 1.11.4", "terraform init -backend-config=backend.hcl\n          terraform apply", 0},
		"local state":           {"terraform_version: 1.11.4", "terraform init\n          terraform apply", 1},
		"no state":              {"terraform_version: 1.11.4", "terraform validate", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := workflowIn(t, "jobs:\n  it:\n    steps:\n      - uses: hashicorp/setup-terraform@v4\n        with:\n          "+row.with+
				"\n      - run: |\n          "+row.run+"\n")
			if got := mistakesIn(w); len(got) != row.want {
				t.Errorf("mistakes: got %q, want %d", got, row.want)
			}
		})
	}
}
