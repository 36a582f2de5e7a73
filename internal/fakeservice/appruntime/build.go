package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

const (
	// logKept is how much of a build's log and of an app's output is kept.
	logKept = 64 << 10
	// logShown is how much of a failed build's log its error holds.
	logShown = 4 << 10
)

// Build is a version of an app, ready to run.
type Build struct {
	// ID is what its owner calls it.
	ID string
	// Commit is what it was built from.
	Commit  string
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

// NewBuildLog makes a log for a build, which keeps the end of what is said.
func NewBuildLog() *process.Tail { return process.NewTail(logKept) }

// Build builds a branch of a repository. The variables are there at build time,
// as they will be when the app runs. The log can be read while the build goes on.
// The result is deployed or discarded.
func (r *Runtime) Build(ctx context.Context, repository, branch string, env map[string]string, log *process.Tail) (*Build, error) {
	failed := func(commit string, err error) error {
		fmt.Fprintf(log, "The build failed: %s\n", err)
		return &BuildError{Commit: commit, Log: lastOf(log.String(), logShown)}
	}
	path, known := r.options.Repositories[repository]
	if !known {
		return nil, failed("", fmt.Errorf("the code-hosting integration does not see the repository %s. "+
			"Start the fake service with --repo %s=WHERE, which is a folder with its files, a git repository, or the URL of one", repository, repository))
	}
	folder, err := r.newBuildFolder()
	if err != nil {
		return nil, err
	}
	b := &Build{folder: folder, work: filepath.Join(folder, sourceFolder)}
	ctx, cancel := context.WithTimeout(ctx, r.options.BuildTimeout)
	defer cancel()
	stop := context.AfterFunc(r.life, cancel)
	defer stop()
	if err := b.make(ctx, source{path, branch}, r, env, log); err != nil {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fmt.Errorf("it took longer than %s", r.options.BuildTimeout.Round(time.Second))
		}
		return nil, errors.Join(failed(b.Commit, err), b.Discard())
	}
	return b, nil
}

// newBuildFolder makes a folder for one build.
func (r *Runtime) newBuildFolder() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errClosed
	}
	// It becomes the build's user's own, and then the app's.
	folder, err := os.MkdirTemp(r.folder, "build-")
	if err != nil {
		return "", err
	}
	return folder, os.Mkdir(filepath.Join(folder, sourceFolder), 0o755)
}

// sourceFolder is what a build was made from, in its folder.
const sourceFolder = "source"

// Discard takes a build away that was not deployed.
func (b *Build) Discard() error { return os.RemoveAll(b.folder) }

// make copies the source and runs what turns it into something that starts.
func (b *Build) make(ctx context.Context, from source, r *Runtime, env map[string]string, log io.Writer) error {
	var err error
	if b.Commit, err = from.copyTo(ctx, b.work, r.options.Environment); err != nil {
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
	return b.run(ctx, how.build, r, env, log)
}

// run runs the command that builds, as a user of its own, with a home folder
// that goes when it is over.
func (b *Build) run(ctx context.Context, command []string, r *Runtime, env map[string]string, log io.Writer) (err error) {
	user, err := r.users.take()
	if err != nil {
		return err
	}
	defer r.users.release(user)
	home := filepath.Join(b.folder, "home")
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if err := os.MkdirAll(filepath.Join(home, "tmp"), 0o700); err != nil {
		return err
	}
	spec := process.Spec{Command: command, Folder: b.work, Output: log, User: user, Contained: true}
	seenHome := home // as the build sees it
	sandboxed := r.options.Sandbox != nil
	if sandboxed {
		spec.Mounts = append(r.options.Go.mounts(), process.Mount{Point: buildPoint, Source: b.folder, Writable: true})
		spec.Command, spec.Folder, seenHome = b.seenAll(command), b.seen(b.work), b.seen(home)
	}
	given := r.inherited(&spec)
	given["HOME"], given["TMPDIR"] = seenHome, filepath.Join(seenHome, "tmp")
	maps.Copy(given, r.options.Go.variables(seenHome, sandboxed))
	needed := given["GODEBUG"]
	maps.Copy(given, env)
	if own := env["GODEBUG"]; own != "" && needed != "" {
		given["GODEBUG"] = own + "," + needed
	}
	spec.Environment = environment(given)
	if err := give(b.folder, user); err != nil {
		return err
	}
	return process.Run(ctx, spec)
}

// seen is a path inside of the build's folder as a program in a sandbox sees it.
// Anything else stays what it is.
func (b *Build) seen(path string) string {
	if inside, ok := strings.CutPrefix(path, b.folder+string(filepath.Separator)); ok {
		return filepath.Join(buildPoint, inside)
	}
	return path
}

func (b *Build) seenAll(command []string) []string {
	var words []string
	for _, word := range command {
		words = append(words, b.seen(word))
	}
	return words
}

// lastOf is the end of a text, in whole lines where it has to be cut.
func lastOf(text string, limit int) string {
	end := process.NewTail(limit)
	_, _ = end.Write([]byte(strings.TrimRight(text, "\n"))) // a tail's writer never fails
	return end.String()
}
