package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

const (
	// repository is the fake's name for the app's repository. It is the folder app of the
	// module.
	repository = "instance-hosting/guestbook"
)

// workspace is a folder with a copy of the module, its state, and a CLI configuration that
// finds the built provider.
type workspace struct {
	cli    string
	folder string
	// module is the copy of the module. It is a copy so that plain commands work in it, and
	// the examples stay unchanged.
	module          string
	environmentFile string
	// psqlFile is a program that opens the database.
	psqlFile string
	// progressFile receives the progress of each apply.
	progressFile string
	environment  []string
	// plans receives the CLI's output; if it is nil, the output is kept for errors.
	plans io.Writer
}

// newWorkspace creates the folder again. A state of an earlier run is worthless, because
// its fake has ended.
func newWorkspace(options options, fake *fakeProcess, catalogue catalogue, webhookURL string) (*workspace, error) {
	folder, err := filepath.Abs(options.folder)
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
		folder:          folder,
		module:          filepath.Join(folder, filepath.Base(options.module)),
		environmentFile: filepath.Join(folder, "env"),
		psqlFile:        filepath.Join(folder, "psql"),
		progressFile:    filepath.Join(folder, "progress.jsonl"),
	}
	if err := copyModule(options.module, work.module); err != nil {
		return nil, err
	}
	mirror := filepath.Join(folder, "mirror")
	program, err := exec.LookPath(filepath.Join(options.bin, "terraform-provider-hosting"))
	if err == nil {
		err = cliconfig.Mirror(mirror, program)
	}
	if err != nil {
		return nil, err
	}

	configFile := filepath.Join(folder, "cli.tfrc")
	added := []string{
		"HOSTING_BASE_URL=" + fake.baseURL(),
		"HOSTING_API_KEY=" + fake.key,
		"TF_CLI_CONFIG_FILE=" + configFile,
		"CHECKPOINT_DISABLE=1",
		progress.Variable + "=" + work.progressFile,
	}
	work.environment = append(inherited(os.Environ()), added...)
	if !terminal.IsTerminal(os.Stdout) {
		// The CLIs colour their output even if it goes to a file.
		work.environment = append(work.environment, "TF_CLI_ARGS=-no-color")
	}
	for name, text := range map[string]string{
		configFile:           cliconfig.FromMirror(mirror),
		work.environmentFile: shellExports(added),
		filepath.Join(work.module, "terraform.tfvars"): variables(catalogue, webhookURL),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return work, nil
}

// leave deletes the folder, with the credentials in it. After a failure the folder stays,
// and the returned error says so.
func (w *workspace) leave(failed bool) error {
	if failed {
		return fmt.Errorf("the module and its state are in %s", w.module)
	}
	if err := os.RemoveAll(w.folder); err != nil {
		return &leftoverError{err}
	}
	return nil
}

// copyModule copies the module's files, without a state or variables of someone who has
// used it in its own folder.
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

// command runs the CLI in the module's folder. Its output goes to plans as it comes, or is
// part of the error.
func (w *workspace) command(ctx context.Context, arguments ...string) error {
	var printed bytes.Buffer
	output := w.plans
	if output == nil {
		output = &printed
	}
	command := w.prepare(ctx, arguments...)
	command.Stdout, command.Stderr = output, output
	return w.explain(command.Run(), arguments, printed.String())
}

// output runs the CLI and returns its output.
func (w *workspace) output(ctx context.Context, arguments ...string) ([]byte, error) {
	var complaint bytes.Buffer
	command := w.prepare(ctx, arguments...)
	command.Stderr = &complaint
	printed, err := command.Output()
	return printed, w.explain(err, arguments, complaint.String())
}

func (w *workspace) prepare(ctx context.Context, arguments ...string) *exec.Cmd {
	command := newCommand(ctx, 2*time.Minute, w.cli, arguments...)
	command.Dir, command.Env = w.module, w.environment
	return command
}

// explain adds a command's complete output to its error, because it has not been shown.
func (w *workspace) explain(err error, arguments []string, printed string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(w.cli), strings.Join(arguments, " "), err, printed)
}

// version returns the first line of the CLI's version, such as "Terraform v1.16.4".
func (w *workspace) version(ctx context.Context) (string, error) {
	text, err := w.output(ctx, "version")
	first, _, _ := strings.Cut(string(text), "\n")
	return first, err
}

// inherited leaves out the variables that would change the demo: a person's own Terraform
// settings, and the address and key of a real account.
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

// shellExports returns a file that a shell can source.
func shellExports(variables []string) string {
	var text strings.Builder
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Fprintf(&text, "export %s=%s\n", name, quoted(value))
	}
	return text.String()
}

// quoted quotes a word for a shell.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// variables returns the module's variables. Plan and region come from the fake's catalogue,
// like those of a real service.
func variables(catalogue catalogue, webhookURL string) string {
	return fmt.Sprintf(`plan                = %q
region              = %q
repo                = %q
webhook_url         = %q
deletion_protection = false
`, catalogue.plan, catalogue.region, repository, webhookURL)
}
