package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
)

// A workspace is a folder with a configuration and its state, in which the CLI runs.
type workspace struct {
	bench       *bench
	folder      string
	environment []string
}

// newWorkspace writes files into a new workspace, and makes the CLI read its modules.
func (b *bench) newWorkspace(f *fake, files map[string]string) (*workspace, error) {
	folder, err := os.MkdirTemp(b.folder, "workspace-")
	if err != nil {
		return nil, err
	}
	w := &workspace{b, folder, append(environment(), f.environment()...)}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	_, err = w.run(context.Background(), "get")
	return w, err
}

// taken is the cost of one command of the CLI.
type taken struct {
	wall   time.Duration
	output string
	cli    time.Duration // the CPU time
	// A measured provider has the time until it can be reached, its CPU time and its
	// peak memory in MiB.
	ready, provider time.Duration
	peak            float64
}

// run runs the CLI to its end. An error contains its output.
func (w *workspace) run(ctx context.Context, arguments ...string) (taken, error) {
	command := exec.CommandContext(ctx, w.bench.cli, arguments...)
	command.Dir = w.folder
	command.Env = append(slices.Clone(w.environment), "TF_CLI_CONFIG_FILE="+w.bench.cliConfig, "CHECKPOINT_DISABLE=1")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = time.Minute
	began := time.Now()
	said, err := command.CombinedOutput()
	t := taken{wall: time.Since(began), output: string(said)}
	if err != nil {
		return t, fmt.Errorf("%s %s: %w\n%s", filepath.Base(w.bench.cli), strings.Join(arguments, " "), err, said)
	}
	t.cli = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return t, nil
}

// measure is like run, but the provider is started for this command and is not a child of
// the CLI, so that the cost of each is known.
func (w *workspace) measure(ctx context.Context, arguments ...string) (t taken, err error) {
	provider := exec.CommandContext(ctx, w.bench.provider(), "-debug")
	provider.Env = w.environment
	provider.Cancel = func() error { return provider.Process.Signal(os.Interrupt) }
	provider.WaitDelay = 10 * time.Second
	out, err := provider.StdoutPipe()
	if err != nil {
		return t, err
	}
	var errs bytes.Buffer
	provider.Stderr = &errs
	launched := time.Now()
	if err := provider.Start(); err != nil {
		return t, err
	}
	reattach, ready := "", time.Duration(0)
	for lines := bufio.NewScanner(out); reattach == "" && lines.Scan(); {
		if _, value, ok := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS="); ok {
			ready = time.Since(launched)
			reattach, err = underBothHosts(strings.Trim(value, "'"))
		}
	}
	if err == nil && reattach == "" {
		err = fmt.Errorf("the provider does not say how to reach it: %s", errs.String())
	}
	if err == nil {
		attached := *w
		attached.environment = append(slices.Clone(w.environment), "TF_REATTACH_PROVIDERS="+reattach)
		t, err = attached.run(ctx, arguments...)
	}
	_ = provider.Process.Signal(os.Interrupt) // it may have ended
	_ = provider.Wait()                       // it was interrupted
	ended := provider.ProcessState
	t.ready = ready
	t.provider = ended.UserTime() + ended.SystemTime()
	t.peak = peak(ended)
	return t, err
}

// underBothHosts lets both Terraform and OpenTofu find a provider.
func underBothHosts(reattach string) (string, error) {
	var providers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(reattach), &providers); err != nil {
		return "", fmt.Errorf("TF_REATTACH_PROVIDERS: %w", err)
	}
	for _, how := range providers {
		for _, address := range cliconfig.Addresses() {
			providers[address] = how
		}
	}
	text, err := json.Marshal(providers)
	return string(text), err
}

// environment leaves out the variables that would change the measurement: a person's own
// Terraform settings and logs, and the address and key of a real account.
func environment() (kept []string) {
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "HOSTING_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
