package repository

import (
	"go/version"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// workflowsOf returns GitHub's workflows, by their paths from the root.
func workflowsOf(t *testing.T) []string {
	t.Helper()
	var workflows []string
	for _, file := range filesOf(t) {
		if path.Dir(file) == ".github/workflows" {
			workflows = append(workflows, file)
		}
	}
	if len(workflows) == 0 {
		t.Fatal("workflows: got none, want at least one")
	}
	return workflows
}

// TestActionsArePinned asserts that a workflow names the actions of others by a commit: a
// tag can be moved to another one. Dependabot reads the version from the comment.
func TestActionsArePinned(t *testing.T) {
	action := regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.+)$`)
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	commits := map[string]string{}
	for _, file := range workflowsOf(t) {
		for _, parts := range action.FindAllStringSubmatch(text(t, file), -1) {
			uses := parts[1]
			if strings.HasPrefix(uses, "./") {
				continue
			}
			if !pinned.MatchString(uses) {
				t.Errorf("%s: got %s, want a commit with its version behind it", file, uses)
			}
			name, commit, _ := strings.Cut(uses, "@")
			if other, ok := commits[name]; ok && other != commit {
				t.Errorf("%s: got %s at %s, want %s as in another workflow", file, name, commit, other)
			}
			commits[name] = commit
		}
	}
}

// TestWorkflowsMayOnlyRead asserts that workflows may only read, so that a job with more
// permissions must name them itself.
func TestWorkflowsMayOnlyRead(t *testing.T) {
	for _, file := range workflowsOf(t) {
		var workflow struct {
			Permissions map[string]string
		}
		read(t, file, &workflow)
		if len(workflow.Permissions) != 1 || workflow.Permissions["contents"] != "read" {
			t.Errorf("%s: got the permissions %v, want only contents: read", file, workflow.Permissions)
		}
	}
}

// TestWorkflowsTakeTheNewestGo asserts that the workflows' Go version can build every
// module: setup-go keeps Go from downloading a newer one by itself. Only make lets it, for
// OpenTofu, whose betas are ahead of Terraform's.
func TestWorkflowsTakeTheNewestGo(t *testing.T) {
	const taken = "tools/cli/terraform-1.16/go.mod"
	goLine := regexp.MustCompile(`(?m)^go (\S+)$`)
	of := func(file string) string {
		parts := goLine.FindStringSubmatch(text(t, file))
		if parts == nil {
			t.Fatalf("%s names no Go", file)
		}
		return "go" + parts[1]
	}
	for _, file := range filesOf(t) {
		if path.Base(file) == "go.mod" && !strings.HasPrefix(file, "tools/cli/tofu-") && version.Compare(of(file), of(taken)) > 0 {
			t.Errorf("%s: got %s, want at most the %s of %s, which the workflows take", file, of(file), of(taken), taken)
		}
	}
	for _, file := range workflowsOf(t) {
		for _, parts := range regexp.MustCompile(`go-version-file: (\S+)`).FindAllStringSubmatch(text(t, file), -1) {
			// The module webhook is also tested with the oldest Go that it builds with.
			if parts[1] != taken && parts[1] != "webhook/go.mod" {
				t.Errorf("%s: got the Go of %s, want that of %s", file, parts[1], taken)
			}
		}
	}
}

// TestWorkflowRunsEachStep asserts that each step of .ci/run tests a change.
func TestWorkflowRunsEachStep(t *testing.T) {
	all := regexp.MustCompile(`(?m)^all="(.+)"$`).FindStringSubmatch(text(t, ".ci/run"))
	matrix := regexp.MustCompile(`step: \[(.+)\]`).FindStringSubmatch(text(t, ".github/workflows/test.yml"))
	if all == nil || matrix == nil || !slices.Equal(strings.Fields(all[1]), strings.Split(matrix[1], ", ")) {
		t.Errorf("the steps of the workflow: got %q, want those of .ci/run, %q", matrix, all)
	}
}
