package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// repository is the app's, as the fake knows it. It is the folder app of
	// the module.
	repository = "instance-hosting/guestbook"
)

// workspace is a folder with a copy of the module, its state, and a CLI
// configuration that finds the provider where it was built.
type workspace struct {
	cli string
	// module is the copy of the module. It is a copy so that plain commands
	// work in it, and the examples stay as they are.
	module          string
	environmentFile string
	environment     []string
}

// newWorkspace makes the folder afresh. A state of an earlier run is worthless,
// as the fake that it is about is gone.
func newWorkspace(options options, fake *fakeProcess, catalogue catalogue) (*workspace, error) {
	folder, err := filepath.Abs(options.folder)
	if err != nil {
		return nil, err
	}
	provider, err := filepath.Abs(options.bin)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	// A relative path would be looked up in the module's folder.
	cli, err := exec.LookPath(options.cli)
	if err != nil {
		return nil, err
	}
	if cli, err = filepath.Abs(cli); err != nil {
		return nil, err
	}
	work := &workspace{
		cli:             cli,
		module:          filepath.Join(folder, filepath.Base(options.module)),
		environmentFile: filepath.Join(folder, "env"),
	}
	if err := copyModule(options.module, work.module); err != nil {
		return nil, err
	}

	configFile := filepath.Join(folder, "cli.tfrc")
	added := []string{
		"HOSTING_BASE_URL=" + fake.baseURL(),
		"HOSTING_API_KEY=" + fake.key,
		"TF_CLI_CONFIG_FILE=" + configFile,
		"CHECKPOINT_DISABLE=1",
	}
	work.environment = append(inherited(os.Environ()), added...)
	if !isTerminal(os.Stdout) {
		// The CLIs colour their output even where it goes to a file.
		work.environment = append(work.environment, "TF_CLI_ARGS=-no-color")
	}
	for name, text := range map[string]string{
		configFile:           cliConfig(provider),
		work.environmentFile: shellExports(added),
		filepath.Join(work.module, "terraform.tfvars"): variables(catalogue),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return work, nil
}

// copyModule copies what a module is made of, and not the state or the variables
// of somebody who has used it in its own folder.
func copyModule(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, pattern := range []string{"*.tf", "*.sql"} {
		files, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// command runs the CLI in the module's folder and lets its output through as it
// comes.
func (w *workspace) command(ctx context.Context, arguments ...string) error {
	command := newCommand(ctx, 2*time.Minute, w.cli, arguments...)
	command.Dir, command.Env = w.module, w.environment
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// output runs the CLI and gives what it prints.
func (w *workspace) output(ctx context.Context, arguments ...string) ([]byte, error) {
	command := newCommand(ctx, 2*time.Minute, w.cli, arguments...)
	command.Dir, command.Env = w.module, w.environment
	command.Stderr = os.Stderr
	return command.Output()
}

// inherited leaves out the variables that would change what the demo does: a
// person's own Terraform settings, and the address and key of a real account.
func inherited(environment []string) []string {
	var kept []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		isLog := strings.HasPrefix(name, "TF_LOG")
		isOurs := strings.HasPrefix(name, "TF_") || strings.HasPrefix(name, "HOSTING_")
		if isLog || !isOurs {
			kept = append(kept, variable)
		}
	}
	return kept
}

// cliConfig names the provider's folder under both registries, so that
// Terraform and OpenTofu find it without an init.
func cliConfig(folder string) string {
	return fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/instance-hosting/hosting" = %[1]q
    "registry.opentofu.org/instance-hosting/hosting" = %[1]q
  }
  direct {}
}
`, folder)
}

// shellExports is a file to be sourced by a shell.
func shellExports(variables []string) string {
	var text strings.Builder
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Fprintf(&text, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return text.String()
}

// variables are the module's variables. Plan and region come from the fake's
// catalogue, as they would from the service's. The webhook's host is one that
// can't exist, so that no event leaves the machine.
func variables(catalogue catalogue) string {
	return fmt.Sprintf(`plan                = %q
region              = %q
repo                = %q
webhook_url         = "https://events.invalid/guestbook"
deletion_protection = false
`, catalogue.plan, catalogue.region, repository)
}
