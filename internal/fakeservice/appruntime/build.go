package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// logKept is how much of a build's log and of an app's output is kept.
	logKept = 64 << 10
	// logShown is how much of a failed build's log its error holds.
	logShown = 4 << 10
)

// Build is a version of an app, ready to run.
type Build struct {
	// Commit is what it was built from.
	Commit string
	// Log is what the build said.
	Log string

	folder  string // everything of the build; taken away with it
	work    string // where the app runs
	command []string
}

// BuildError is a build that failed.
type BuildError struct {
	// Commit is empty where the branch could not be read.
	Commit string
	// Log is the end of what the build said. It ends with the reason.
	Log string
}

// Error is the end of the log.
func (e *BuildError) Error() string { return e.Log }

// Build builds a branch of a repository. The variables are there at build time,
// as they will be when the app runs. The result is deployed or discarded.
func (r *Runtime) Build(ctx context.Context, repository, branch string, env map[string]string) (*Build, error) {
	log := &tail{limit: logKept}
	failed := func(commit string, err error) error {
		fmt.Fprintf(log, "The build failed: %s\n", err)
		return &BuildError{Commit: commit, Log: lastOf(log.String(), logShown)}
	}
	path, known := r.options.Repositories[repository]
	if !known {
		return nil, failed("", fmt.Errorf("the code-hosting integration does not see the repository %s. "+
			"Start the fake service with --repo %s=FOLDER, where FOLDER holds its files or is a git repository", repository, repository))
	}
	folder, err := r.newBuildFolder()
	if err != nil {
		return nil, err
	}
	b := &Build{folder: folder, work: filepath.Join(folder, "source")}
	ctx, cancel := context.WithTimeout(ctx, r.options.BuildTimeout)
	defer cancel()
	stop := context.AfterFunc(r.life, cancel)
	defer stop()
	if err := b.make(ctx, source{path, branch}, r.options.Environment, env, log); err != nil {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fmt.Errorf("it took longer than %s", r.options.BuildTimeout.Round(time.Second))
		}
		return nil, errors.Join(failed(b.Commit, err), b.Discard())
	}
	b.Log = log.String()
	return b, nil
}

// newBuildFolder makes a folder for one build, which the app's user can read.
func (r *Runtime) newBuildFolder() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errClosed
	}
	r.builds++
	folder := filepath.Join(r.folder, fmt.Sprintf("build-%d", r.builds))
	return folder, os.MkdirAll(filepath.Join(folder, "source"), 0o755)
}

// Discard takes a build away that was not deployed.
func (b *Build) Discard() error { return os.RemoveAll(b.folder) }

// make copies the source and runs what turns it into something that starts.
func (b *Build) make(ctx context.Context, from source, inherited []string, env map[string]string, log io.Writer) error {
	var err error
	if b.Commit, err = from.copyTo(ctx, b.work, inherited); err != nil {
		return err
	}
	fmt.Fprintf(log, "Branch %s is at %s.\n", from.branch, b.Commit)
	how, err := readRecipe(b.work, filepath.Join(b.folder, "app"))
	if err != nil {
		return err
	}
	b.command = how.start
	if len(how.build) == 0 {
		fmt.Fprintln(log, "There is nothing to build.")
		return nil
	}
	fmt.Fprintf(log, "$ %s\n", strings.TrimPrefix(strings.Join(how.build, " "), "sh -c "))
	command := exec.CommandContext(ctx, how.build[0], how.build[1:]...)
	command.Dir = b.work
	command.Env = merge(withoutSecrets(inherited), env)
	command.Stdout, command.Stderr = log, log
	return runToEnd(command)
}

// withoutSecrets leaves out what a build has no business with: the account's
// address and key.
func withoutSecrets(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		return strings.HasPrefix(variable, "HOSTING_")
	})
}

// merge adds variables to an environment. The later one of a name counts.
func merge(environment []string, env map[string]string) []string {
	merged := slices.Clip(slices.Clone(environment))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		merged = append(merged, name+"="+env[name])
	}
	return merged
}

// lastOf is the end of a text, in whole lines where it has to be cut.
func lastOf(text string, limit int) string {
	end := &tail{limit: limit}
	_, _ = end.Write([]byte(strings.TrimRight(text, "\n"))) // a tail's writer never fails
	return end.String()
}
