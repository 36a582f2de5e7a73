package appruntime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Inspection describes the input of a build of a branch.
type Inspection struct {
	Commit string
	// Recipe is the file that says how the branch is built, or "" if no file does.
	Recipe string
	// Missing is the reason why there is no recipe.
	Missing string
}

// BranchError is the reason why a branch of a repository could not be read.
type BranchError struct{ Err error }

// Error returns the reason.
func (e *BranchError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *BranchError) Unwrap() error { return e.Err }

// Repositories returns the sorted names of the repositories that apps can be built from.
func (r *Runtime) Repositories() []string {
	return slices.Sorted(maps.Keys(r.options.Repositories))
}

// Inspect reads a branch of a repository without building anything.
func (r *Runtime) Inspect(ctx context.Context, repository, branch string) (found Inspection, err error) {
	path, known := r.options.Repositories[repository]
	if !known {
		return found, &BranchError{fmt.Errorf("the code-hosting integration does not see the repository %s", repository)}
	}
	folder, err := r.newBuildFolder()
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ctx, cancel := context.WithTimeout(ctx, r.options.BuildTimeout)
	defer cancel()
	stop := context.AfterFunc(r.life, cancel)
	defer stop()
	source := source{path, branch, r.options.LargestSource}
	work := filepath.Join(folder, sourceFolder)
	if found.Commit, err = source.copyTo(ctx, work, r.options.Environment); err != nil {
		return found, &BranchError{err}
	}
	how, err := readRecipe(work, filepath.Join(folder, "app"))
	if err != nil {
		found.Missing = err.Error()
		return found, nil
	}
	found.Recipe = how.file
	return found, nil
}
