package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/cmd/bench/usage"
)

// A workspace is a folder with a configuration and its state, in which the CLI runs.
type workspace struct {
	bench  *bench
	folder string
	// provider is the program that the meter runs, and environment the variables that it
	// needs.
	provider    string
	environment []string
}

// newWorkspace creates an empty workspace.
func (b *bench) newWorkspace(provider string, environment []string) (*workspace, error) {
	folder, err := os.MkdirTemp(b.folder, "workspace-")
	return &workspace{bench: b, folder: folder, provider: provider, environment: environment}, err
}

// remove deletes the workspace, because states of thousands of resources add up.
func (w *workspace) remove() { _ = os.RemoveAll(w.folder) } // the rest is deleted with the bench's folder

// write writes files into the folder, by name.
func (w *workspace) write(files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(w.folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// taken is the cost of one command of the CLI.
type taken struct {
	// began is the start of the command, by the machine's clock.
	began time.Time
	wall  time.Duration
	// cli is the CPU time of only the CLI, and provider the total of all the provider's
	// processes. peak is the largest peak memory of such a process in bytes, and starts is
	// their number.
	cli, provider time.Duration
	peak          int64
	starts        int
	output        string
}

// run runs the CLI to its end. An error contains its output.
func (w *workspace) run(ctx context.Context, arguments ...string) (taken, error) {
	reports, err := os.MkdirTemp(w.bench.folder, "reports-")
	if err != nil {
		return taken{}, err
	}
	defer os.RemoveAll(reports)
	command := exec.CommandContext(ctx, w.bench.cli, arguments...)
	command.Dir = w.folder
	command.Env = append(inherited(os.Environ()), "TF_CLI_CONFIG_FILE="+w.bench.cliConfig, "CHECKPOINT_DISABLE=1",
		"BENCH_METER_PROVIDER="+w.provider, "BENCH_METER_FOLDER="+reports)
	command.Env = append(command.Env, w.environment...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = time.Minute
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	t := taken{began: time.Now()}
	err = command.Run()
	t.wall, t.output = time.Since(t.began), output.String()
	if err != nil {
		return t, fmt.Errorf("%s %s: %w\n%s", filepath.Base(w.bench.cli), strings.Join(arguments, " "), err, tail(t.output))
	}
	return t, t.account(usage.Of(command.ProcessState), reports)
}

// account separates the CLI's CPU time from that of the providers that it has waited for.
func (t *taken) account(all usage.Usage, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	t.cli = all.CPU
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var read usage.Report
		if err := json.Unmarshal(text, &read); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		t.cli -= read.Provider.CPU + read.Meter
		t.provider += read.Provider.CPU
		t.peak = max(t.peak, read.Provider.Peak)
		t.starts++
	}
	return nil
}

// planNothing makes a plan, which must be empty, and returns its cost.
func (w *workspace) planNothing(ctx context.Context) (taken, error) {
	t, err := w.run(ctx, "plan", "-input=false", "-no-color")
	if err != nil {
		return t, err
	}
	// The other sentence, with "still matches", indicates drift.
	if !strings.Contains(t.output, "Your infrastructure matches the configuration") {
		return t, errors.New("the plan is not empty:\n" + tail(t.output))
	}
	return t, nil
}

// state returns the text of the workspace's state.
func (w *workspace) state() ([]byte, error) {
	return os.ReadFile(filepath.Join(w.folder, "terraform.tfstate"))
}

// tail returns the end of a program's output.
func tail(said string) string {
	const most = 4000
	if len(said) > most {
		said = said[len(said)-most:]
	}
	return strings.TrimSpace(said)
}

// inherited leaves out the variables that would change the measurement: a person's own
// Terraform settings and logs, and the address and key of a real account. The benchmark
// itself sets the variables that switch the provider's optimizations off.
func inherited(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "HOSTING_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// cliVersion returns the CLI's name and version, in one line.
func cliVersion(ctx context.Context, cli string) (string, error) {
	command := exec.CommandContext(ctx, cli, "version")
	command.Env = append(inherited(os.Environ()), "CHECKPOINT_DISABLE=1")
	text, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", cli, err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line, nil
}
