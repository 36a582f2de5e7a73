package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience is the time that a program has to end after it is told to, or to close its
// output after its end.
const patience = 10 * time.Second

// A bench is a copy of the tree, in which one mistake at a time is planted, built and
// searched for.
type bench struct {
	root string // the folder of the bench
	copy string // the copy of the tree
	code code   // the copy's original files that mistakes are planted into
}

// newBench copies the tree's files that git tracks or would track, in their current form.
func newBench(ctx context.Context, tree string) (*bench, error) {
	list := exec.CommandContext(ctx, "git", "ls-files", "-co", "--exclude-standard", "-z")
	list.Dir = tree
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tree's files: %w%s", err, stderrOf(err))
	}
	root, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	b := &bench{root: root, copy: filepath.Join(root, "tree")}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(tree, name), filepath.Join(b.copy, name)); err != nil {
			b.remove()
			return nil, fmt.Errorf("copy the tree: %w", err)
		}
	}
	if b.code, err = readCode(ctx, b.copy); err != nil {
		b.remove()
		return nil, err
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

// copyFile copies a file. It leaves out a deleted file that git still lists, and anything
// except a regular file, such as a link.
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

func (b *bench) remove() { _ = os.RemoveAll(b.root) } // the system deletes the rest

// plant writes the files that a mistake changes.
func (b *bench) plant(changed code) error {
	for file, content := range changed {
		if err := os.WriteFile(filepath.Join(b.copy, filepath.FromSlash(file)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// takeOut restores the files that a mistake has changed.
func (b *bench) takeOut(changed code) error {
	were := code{}
	for file := range changed {
		were[file] = b.code[file]
	}
	return b.plant(were)
}

// worldsFolder is the folder of the simulated worlds.
const worldsFolder = "internal/simulation"

// worlds builds the simulated worlds from the copy, and runs those tests whose names match.
func (b *bench) worlds(ctx context.Context, tests string, runs int, seed uint64, timeout time.Duration) (said string, outcome outcome, err error) {
	return b.test(ctx, worldsFolder, timeout, "-test.run="+tests, "-test.failfast",
		"-sim.runs="+strconv.Itoa(runs), "-sim.seed="+strconv.FormatUint(seed, 10))
}

// test builds the tests of a folder from the copy, and runs them. The outcome is
// notCompiled, caught if a test fails, and missed otherwise, even if there are no tests. An
// error is a failure of the bench, such as an interrupt.
func (b *bench) test(ctx context.Context, folder string, timeout time.Duration, args ...string) (said string, outcome outcome, err error) {
	// An existing program may have been built from other code.
	program := filepath.Join(b.root, path.Base(folder)+".test")
	if err := os.RemoveAll(program); err != nil {
		return "", 0, err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", program)
	if folder == worldsFolder {
		// With -trimpath, unchanged packages come from the build cache, whatever the copy's
		// folder is called. Other tests may read their own files.
		build.Args = append(build.Args, "-trimpath")
	}
	build.Args = append(build.Args, "./"+folder)
	build.Dir = b.copy
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // go then ends the processes that it started
	said, compiles, err := output(ctx, build)
	if err != nil || !compiles {
		return said, notCompiled, err
	}
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		return said, missed, nil
	}
	run := exec.CommandContext(ctx, program, append([]string{"-test.timeout=" + timeout.String()}, args...)...)
	run.Dir = filepath.Join(b.copy, filepath.FromSlash(folder))
	run.Env = environment(os.Environ())
	said, passes, err := output(ctx, run)
	if passes {
		return said, missed, err
	}
	return said, caught, err
}

// output runs a program to its end. It returns the output, and whether the program
// succeeded. The error says that it could not be run, or was interrupted.
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

// environment returns the environment of tests: nothing of a real account, no CLI, and
// fewer garbage collections, which would otherwise take half of the worlds' time.
func environment(outer []string) []string {
	env := slices.DeleteFunc(slices.Clone(outer), func(variable string) bool {
		return strings.HasPrefix(variable, "HOSTING_") || strings.HasPrefix(variable, "TF_")
	})
	if !slices.ContainsFunc(env, func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") }) {
		env = append(env, "GOGC=800")
	}
	return env
}
