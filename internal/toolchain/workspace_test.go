package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
)

// repository is the path of the project's root, relative to this package.
const repository = "../.."

// mirror is a folder with the provider, from which the CLI installs it, and with the
// CLI's configuration for that.
var mirror program.SharedFolder

func TestMain(m *testing.M) {
	tier.Night.Select()
	os.Exit(mirror.Run(m))
}

func makeMirror(folder string) error {
	built := filepath.Join(folder, program.Provider)
	if err := program.Build(built, "."); err != nil {
		return err
	}
	if err := cliconfig.Mirror(folder, built); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "cli.tfrc"), []byte(cliconfig.FromMirror(folder)), 0o600)
}

// A workspace is a folder with an initialized configuration, like the one that a person
// has open in an editor.
type workspace struct {
	t      *testing.T
	folder string
	cli    string // absolute
	env    []string
}

// newWorkspace initializes a copy of a folder. variables are environment variables for
// the programs that run there.
func newWorkspace(t *testing.T, configuration string, variables ...string) *workspace {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		machine.Lacks(t, "a CLI is run only with TF_ACC=1")
	}
	installed := mirror.Path(t, makeMirror)
	w := &workspace{t: t, folder: t.TempDir(), cli: cliversion.UnderTest()}
	path, err := exec.LookPath(w.cli)
	if err == nil {
		w.cli, err = filepath.Abs(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "TF_") && !strings.HasPrefix(variable, "HOSTING_") {
			w.env = append(w.env, variable)
		}
	}
	w.env = append(w.env, "TF_CLI_CONFIG_FILE="+filepath.Join(installed, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	w.env = append(w.env, variables...)
	if err := os.CopyFS(w.folder, os.DirFS(configuration)); err != nil {
		t.Fatal(err)
	}
	w.run("init", "-no-color", "-input=false")
	return w
}

// run runs the CLI, which must succeed, and returns its standard output.
func (w *workspace) run(arguments ...string) string {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), w.cli, arguments...)
	command.Dir, command.Env = w.folder, w.env
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s%s", strings.Join(command.Args, " "), err, output, complaints.String())
	}
	return string(output)
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

func (w *workspace) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}
