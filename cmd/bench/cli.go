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

// A workspace is a folder with a configuration and its state, in which the CLI is run.
type workspace struct {
	bench  *bench
	folder string
	// provider is the program that the meter runs, and environment what it needs.
	provider    string
	environment []string
}

// newWorkspace makes an empty one.
func (b *bench) newWorkspace(provider string, environment []string) (*workspace, error) {
	folder, err := os.MkdirTemp(b.folder, "workspace-")
	return &workspace{bench: b, folder: folder, provider: provider, environment: environment}, err
}

// remove deletes it, as states of thousands of resources add up.
func (w *workspace) remove() { _ = os.RemoveAll(w.folder) } // what is left goes with the bench's folder

// write puts files into the folder, by name.
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

// taken is what one command of the CLI took.
type taken struct {
	// began is when it was started, by the machine's clock.
	began time.Time
	wall  time.Duration
	// cli is the CPU of the CLI alone, provider that of all processes of the provider
	// together, peak the largest of theirs in bytes, and starts how many they were.
	cli, provider time.Duration
	peak          int64
	starts        int
	output        string
}

// run runs the CLI to its end. An error holds what it said.
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

// account tells the CLI's CPU from that of the providers that it has waited for.
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

// planNothing makes a plan, which has to be empty, and tells what it took.
func (w *workspace) planNothing(ctx context.Context) (taken, error) {
	t, err := w.run(ctx, "plan", "-input=false", "-no-color")
	if err != nil {
		return t, err
	}
	// The other sentence, that it "still matches", tells of drift.
	if !strings.Contains(t.output, "Your infrastructure matches the configuration") {
		return t, errors.New("the plan is not empty:\n" + tail(t.output))
	}
	return t, nil
}

// state is the text of the workspace's state.
func (w *workspace) state() ([]byte, error) {
	return os.ReadFile(filepath.Join(w.folder, "terraform.tfstate"))
}

// tail is the end of what a program said.
func tail(said string) string {
	const most = 4000
	if len(said) > most {
		said = said[len(said)-most:]
	}
	return strings.TrimSpace(said)
}

// inherited leaves out the variables that would change what is measured: a person's own
// Terraform settings and logs, and the address and key of a real account. What switches an
// optimization of the provider off is set by the benchmark itself.
func inherited(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "HOSTING_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// cliVersion is the CLI's name and version, in one line.
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
