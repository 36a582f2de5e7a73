package repository

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"
)

// root is the repository's folder.
const root = "../.."

// filesOf returns the files that git tracks or would track, by their paths from the root.
func filesOf(t *testing.T) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "ls-files", "-co", "--exclude-standard")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	files := strings.Split(strings.TrimSpace(string(out)), "\n")
	return slices.DeleteFunc(files, func(file string) bool { // uncommitted deletions are still listed
		_, err := os.Stat(filepath.Join(root, file))
		return err != nil
	})
}

// read reads a YAML file of the repository.
func read(t *testing.T, file string, into any) {
	t.Helper()
	if _, err := yaml.Unmarshal([]byte(text(t, file)), into, yaml.DecodeOpts{}); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// ecosystems are the files by which Dependabot recognises a module, and its names for them.
var ecosystems = map[string]string{
	"go.mod":            "gomod",
	"package.json":      "npm",
	"Dockerfile":        "docker",
	"devcontainer.json": "devcontainers",
}

// leftOut are the modules that must not be updated automatically, with the reason.
var leftOut = map[string]string{
	"tools/cli": "the CLIs are what is promised: another one is a decision, and their stubs have no dependencies",
	"internal/fakeservice/appruntime/testdata": "an app of a test, without dependencies",
	"internal/fakeservice/dataplane/testdata":  "an app of a test, without dependencies",
	"internal/guidetest/testdata":              "an app of a test, without dependencies",
}

// TestDependabotKnowsEveryModule compares its list with the existing modules, in both
// directions.
func TestDependabotKnowsEveryModule(t *testing.T) {
	var config struct {
		Version int
		Updates []struct {
			Ecosystem   string   `json:"package-ecosystem"`
			Directories []string `json:"directories"`
			Schedule    struct{ Interval string }
		}
	}
	read(t, ".github/dependabot.yml", &config)
	known := map[string]bool{}
	for _, update := range config.Updates {
		if !slices.Contains([]string{"daily", "weekly", "monthly"}, update.Schedule.Interval) {
			t.Errorf("the interval of %s: got %q, want daily, weekly or monthly", update.Ecosystem, update.Schedule.Interval)
		}
		for _, directory := range update.Directories {
			known[update.Ecosystem+" "+directory] = true
		}
	}
	if config.Version != 2 {
		t.Errorf("the version: got %d, want 2, which is Dependabot's", config.Version)
	}
	there := map[string]bool{"github-actions /": true}
	for _, file := range filesOf(t) {
		ecosystem, ok := ecosystems[path.Base(file)]
		if !ok || isLeftOut(file) {
			continue
		}
		directory := path.Dir("/" + file)
		if ecosystem == "devcontainers" {
			directory = path.Dir(directory) // it is in the folder .devcontainer of the named folder
		}
		there[ecosystem+" "+directory] = true
	}
	for module := range there {
		if !known[module] {
			t.Errorf(".github/dependabot.yml: got no %s, want it", module)
		}
	}
	for module := range known {
		if !there[module] {
			t.Errorf(".github/dependabot.yml: got %s, want only modules that exist", module)
		}
	}
}

func isLeftOut(file string) bool {
	for folder := range leftOut {
		if strings.HasPrefix(file, folder+"/") {
			return true
		}
	}
	return false
}
