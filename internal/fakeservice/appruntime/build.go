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
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

const (
	// logKept is the number of bytes kept of a build's log and of an app's output.
	logKept = 64 << 10
	// logShown is the number of bytes of a failed build's log that its error contains.
	logShown = 4 << 10
)

// Build is a version of an app, ready to run.
type Build struct {
	// ID is the owner's name for the build.
	ID string
	// Commit is the commit that the build was made from.
	Commit  string
	folder  string // contains the whole build; deleted with it
	work    string // the app's working folder
	command []string
}

// BuildError describes a failed build.
type BuildError struct {
	// Commit is empty if the branch could not be read.
	Commit string
	// Log is the end of the build's log. Its last line is the reason.
	Log string
}

// Error returns the end of the log.
func (e *BuildError) Error() string { return e.Log }

// NewBuildLog returns a log for a build. It keeps only the end of the output.
func NewBuildLog() *process.Tail { return process.NewTail(logKept) }

// Build builds a branch of a repository. The build sees the variables that the app will see
// when it runs. The caller can read the log during the build, and must deploy or discard
// the result.
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
	if err := b.make(ctx, source{path, branch, r.options.LargestSource}, r, env, log); err != nil {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = fmt.Errorf("it took longer than %s", r.options.BuildTimeout.Round(time.Second))
		}
		return nil, errors.Join(failed(b.Commit, err), b.Discard())
	}
	return b, nil
}

// newBuildFolder creates a folder for one build.
func (r *Runtime) newBuildFolder() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errClosed
	}
	// The folder is owned by the build's user, and later by the app's.
	folder, err := os.MkdirTemp(r.folder, "build-")
	if err != nil {
		return "", err
	}
	return folder, os.Mkdir(filepath.Join(folder, sourceFolder), 0o755)
}

// sourceFolder is the name of the folder, inside the build's, that contains the copied
// source.
const sourceFolder = "source"

// Discard deletes a build that was not deployed.
func (b *Build) Discard() error { return workdir.RemoveAll(b.folder) }

// make copies the source and runs the command that builds it.
func (b *Build) make(ctx context.Context, from source, r *Runtime, env map[string]string, log io.Writer) error {
	var err error
	if b.Commit, err = from.copyTo(ctx, b.work, r.options.Environment); err != nil {
		return err
	}
	fmt.Fprintf(log, "Branch %s is at %s.\n", from.branch, b.Commit)
	if IsURL(from.path) || isGit(from.path) {
		notes, err := unfetched(b.work)
		if err != nil {
			return err
		}
		for _, note := range notes {
			fmt.Fprintln(log, note)
		}
	}
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

// run runs the build command as a separate user, with a home folder that is deleted
// afterwards.
func (b *Build) run(ctx context.Context, command []string, r *Runtime, env map[string]string, log io.Writer) (err error) {
	user, err := r.users.take()
	if err != nil {
		return err
	}
	defer r.users.release(user)
	home := filepath.Join(b.folder, "home")
	defer func() { err = errors.Join(err, workdir.RemoveAll(home)) }()
	if err := os.MkdirAll(filepath.Join(home, "tmp"), 0o700); err != nil {
		return err
	}
	spec := process.Spec{Command: command, Folder: b.work, Output: log, User: user, Contained: true}
	seenHome := home // the home folder's path as the build sees it
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

// seen returns a path in the build's folder as a program in a sandbox sees it. Other paths
// are returned unchanged.
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

// lastOf returns the end of a text. If it has to cut, it cuts between lines.
func lastOf(text string, limit int) string {
	end := process.NewTail(limit)
	_, _ = end.Write([]byte(strings.TrimRight(text, "\n"))) // a tail's writer never fails
	return end.String()
}
