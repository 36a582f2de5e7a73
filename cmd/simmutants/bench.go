package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience is how long a program may take to end once it is told to, or to close
// its output once it has ended.
const patience = 10 * time.Second

// A bench is a copy of the tree, in which one bug at a time is planted, built
// and looked for.
type bench struct {
	options
	root string // the folder of the bench
	copy string // the copy of the tree
	test string // the simulated world's program
}

// newBench copies the files of the tree that git tracks or would, as they are on
// the disk now.
func newBench(ctx context.Context, o options) (*bench, error) {
	list := exec.CommandContext(ctx, "git", "ls-files", "-co", "--exclude-standard", "-z")
	list.Dir = o.tree
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tree's files: %w%s", err, stderrOf(err))
	}
	root, err := os.MkdirTemp("", "simmutants-")
	if err != nil {
		return nil, err
	}
	b := &bench{options: o, root: root, copy: filepath.Join(root, "tree"), test: filepath.Join(root, "simulation.test")}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(o.tree, name), filepath.Join(b.copy, name)); err != nil {
			b.remove()
			return nil, fmt.Errorf("copy the tree: %w", err)
		}
	}
	return b, nil
}

func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}

// copyFile copies a file. One that git still lists although it was deleted is
// left out, and so is what is no regular file, such as a link.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm()|0o600)
}

func (b *bench) remove() { _ = os.RemoveAll(b.root) } // what is left is the system's to sweep

// try plants a bug, looks for it and takes it out again. Its error is one of the
// bench, such as an interrupt; what is wrong with the patch is in the verdict.
func (b *bench) try(ctx context.Context, p patch) (verdict, error) {
	said, applies, err := gitApply(ctx, b.copy, p.path)
	if err != nil {
		return verdict{}, err
	}
	if !applies {
		return verdict{name: p.name, outcome: notApplied, said: lastLines(said)}, nil
	}
	v, err := b.judge(ctx)
	if err != nil {
		return verdict{}, err
	}
	v.name = p.name
	said, applies, err = gitApply(ctx, b.copy, "--reverse", p.path)
	if err == nil && !applies {
		err = fmt.Errorf("%s cannot be taken out again: %s", p.name, said)
	}
	return v, err
}

// judge builds the simulated world as it stands in the copy, and runs it.
func (b *bench) judge(ctx context.Context) (verdict, error) {
	// Without the paths in it what did not change comes from the build cache,
	// whatever the copy's folder is called.
	build := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-o", b.test, "./internal/simulation")
	build.Dir = b.copy
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // go then ends what it started
	said, compiles, err := output(ctx, build)
	if err != nil {
		return verdict{}, err
	}
	if !compiles {
		return verdict{outcome: notCompiled, said: lastLines(said)}, nil
	}
	run := exec.CommandContext(ctx, b.test, "-test.run", "^TestSim$", "-test.timeout", b.timeout.String(),
		"-sim.runs="+strconv.Itoa(b.runs), "-sim.seed="+strconv.FormatUint(b.seed, 10))
	run.Dir = filepath.Join(b.copy, "internal", "simulation")
	run.Env = environment(os.Environ())
	said, holds, err := output(ctx, run)
	if err != nil {
		return verdict{}, err
	}
	return judge(said, !holds, b.runs), nil
}

// gitApply runs git apply in a folder, as if it lay in no repository: in one that
// it lies in by chance, git would silently leave out what is not below it.
func gitApply(ctx context.Context, folder string, args ...string) (said string, applies bool, err error) {
	apply := exec.CommandContext(ctx, "git", slices.Concat([]string{"apply", "--whitespace=nowarn"}, args)...)
	apply.Dir = folder
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(folder))
	return output(ctx, apply)
}

// output runs a program to its end and tells what it said, and whether it ended
// well. The error is that it could not be run, or was interrupted.
func output(ctx context.Context, program *exec.Cmd) (said string, ok bool, err error) {
	program.WaitDelay = patience
	out, err := program.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case errors.As(err, &exit):
		return string(out), false, nil
	case err != nil:
		return "", false, fmt.Errorf("run %s: %w", filepath.Base(program.Path), err)
	}
	return string(out), true, nil
}

// environment is what the world runs with: nothing of a real account, and fewer
// collections of garbage, which take half of its time else.
func environment(outer []string) []string {
	env := slices.DeleteFunc(slices.Clone(outer), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return name == "HOSTING_BASE_URL" || name == "HOSTING_API_KEY"
	})
	if !slices.ContainsFunc(env, func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") }) {
		env = append(env, "GOGC=800")
	}
	return env
}
