package appruntime

import (
	"errors"
	"strings"
	"testing"
)

// Inspect reports the input of a build without building, and leaves no files.
func TestInspect(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files           map[string]string
		recipe, missing string
	}{
		"a recipe":        {map[string]string{"hosting.json": `{"build": "exit 1", "start": "./app"}`, "go.mod": "module x\n"}, "hosting.json", ""},
		"a Go program":    {map[string]string{"go.mod": "module x\n"}, "go.mod", ""},
		"nothing":         {map[string]string{"README.md": ""}, "", "does not say how it is built"},
		"a broken recipe": {map[string]string{"hosting.json": `{"build": "true"}`}, "", `"start" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, func(o *Options) { o.Repositories = map[string]string{"octo/app": write(t, row.files)} })
			found, err := r.Inspect(t.Context(), "octo/app", "main")
			if err != nil || found.Commit == "" || found.Recipe != row.recipe || !strings.Contains(found.Missing, row.missing) || (found.Missing == "") != (row.missing == "") {
				t.Errorf("Inspect: got %+v and error %v, want recipe %q and missing %q", found, err, row.recipe, row.missing)
			}
			if left := glob(t, r, "build-*"); len(left) > 0 {
				t.Errorf("files of the inspection: got %v, want none", left)
			}
		})
	}
	r := open(t)
	if _, err := r.Inspect(t.Context(), "octo/other", "main"); !errors.As(err, new(*BranchError)) {
		t.Errorf("Inspect of an unknown repository: got error %v, want a *BranchError", err)
	}
}

// A branch that is missing from a git repository has its own error type.
func TestInspectWithoutABranch(t *testing.T) {
	t.Parallel()
	folder, commit := gitRepository(t)
	head := commit("1")
	r := open(t, func(o *Options) { o.Repositories = map[string]string{"octo/app": folder} })
	if found, err := r.Inspect(t.Context(), "octo/app", "main"); err != nil || found.Recipe != "hosting.json" || found.Commit != head {
		t.Errorf("Inspect of main: got %+v and error %v, want hosting.json at %s", found, err, head)
	}
	if _, err := r.Inspect(t.Context(), "octo/app", "next"); !errors.As(err, new(*BranchError)) || !strings.Contains(err.Error(), `branch "next" of`) {
		t.Errorf("Inspect of an unknown branch: got error %v, want a *BranchError that names it", err)
	}
}
