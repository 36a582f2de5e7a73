package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
)

// installed is shared by the tests: a folder with the provider, the CLI under the name
// terraform, and its configuration.
var installed struct {
	shared  program.SharedFolder
	folder  string
	version cliversion.Version
}

func TestMain(m *testing.M) { os.Exit(installed.shared.Run(m)) }

func install(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		machine.Lacks(t, "examples are applied only with TF_ACC=1")
	}
	installed.shared.Path(t, func(folder string) error {
		installed.folder = folder
		cli, err := exec.LookPath(cliversion.UnderTest())
		if err != nil {
			return err
		}
		if cli, err = filepath.Abs(cli); err != nil {
			return err
		}
		if installed.version, err = cliversion.Of(t.Context(), cli); err != nil {
			return err
		}
		if err := os.Symlink(cli, filepath.Join(folder, "terraform")); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "cli.tfrc"), []byte(cliconfig.DevOverrides(folder)), 0o600); err != nil {
			return err
		}
		return program.Build(filepath.Join(folder, program.Provider), ".")
	})
}

// speed is the speed of a fake's clock: an instance takes a tenth of a second.
const speed = 5000

// startFake serves a fake for one example.
func startFake(t *testing.T, options ...func(*fakeservice.Options)) *fakeservicetest.Server {
	t.Helper()
	return fakeservicetest.Start(t, append([]func(*fakeservice.Options){func(o *fakeservice.Options) { o.Speed = speed }}, options...)...)
}

// withPostgres lets the instances of a fake really run.
func withPostgres(t *testing.T) func(*fakeservice.Options) {
	t.Helper()
	if _, err := postgres.Locate(t.Context(), ""); err != nil {
		machine.Lacks(t, "%s", err)
	}
	return fakeservicetest.WithDataPlane(t)
}

// A workspace is a folder with a configuration, in which the CLI runs on a fake.
type workspace struct {
	t      *testing.T
	fake   *fakeservicetest.Server
	folder string
	env    []string
}

// newWorkspace returns an empty workspace.
func newWorkspace(t *testing.T, fake *fakeservicetest.Server) *workspace {
	t.Helper()
	w := &workspace{t: t, fake: fake, folder: t.TempDir()}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if name != "PATH" && !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "HOSTING_") {
			w.env = append(w.env, variable)
		}
	}
	w.env = append(w.env,
		"PATH="+installed.folder+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TF_CLI_CONFIG_FILE="+filepath.Join(installed.folder, "cli.tfrc"),
		"TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1",
		"HOSTING_BASE_URL="+fake.BaseURL, "HOSTING_API_KEY="+fakeservicetest.APIKey,
	)
	return w
}

func (w *workspace) write(name, text string) {
	w.t.Helper()
	must.Do(w.t, os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o600))
}

func (w *workspace) remove(name string) {
	w.t.Helper()
	must.Do(w.t, os.Remove(filepath.Join(w.folder, name)))
}

// run runs a program, such as terraform, and returns its output and its exit code.
func (w *workspace) run(name string, arguments ...string) (said string, exit int) {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), filepath.Join(installed.folder, name), arguments...)
	if name != "terraform" {
		command = exec.CommandContext(w.t.Context(), name, arguments...)
	}
	command.Dir, command.Env = w.folder, w.env
	output, err := command.CombinedOutput()
	if command.ProcessState == nil {
		w.t.Fatal(err)
	}
	return string(output), command.ProcessState.ExitCode()
}

// terraform runs the CLI, which must succeed, and returns its output.
func (w *workspace) terraform(arguments ...string) string {
	w.t.Helper()
	said, exit := w.run("terraform", append(arguments, "-no-color")...)
	if exit != 0 {
		w.t.Fatalf("terraform %s: got exit code %d, want 0:\n%s", strings.Join(arguments, " "), exit, said)
	}
	return said
}

// apply applies the configuration. If a paid plan has an open checkout, apply finishes it
// and applies again.
func (w *workspace) apply(arguments ...string) string {
	w.t.Helper()
	arguments = append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)
	said, exit := w.run("terraform", arguments...)
	if w.pay() > 0 {
		said, exit = w.run("terraform", arguments...)
	}
	if exit != 0 {
		w.t.Fatalf("terraform %s: got exit code %d, want 0:\n%s", strings.Join(arguments, " "), exit, said)
	}
	return said
}

// pay finishes every open checkout, and returns their number.
func (w *workspace) pay() int {
	w.t.Helper()
	paid := 0
	for _, in := range w.fake.Instances() {
		if in.CheckoutURL == "" {
			continue
		}
		must.Do(w.t, w.fake.PayCheckout(in.ID))
		paid++
	}
	return paid
}

// mustBeSettled checks that the plan is empty.
func (w *workspace) mustBeSettled() {
	w.t.Helper()
	w.terraform("plan", "-detailed-exitcode")
}

// destroy destroys everything, after turning off its protection.
func (w *workspace) destroy() {
	w.t.Helper()
	if lifted := unprotected(w.configuration()); lifted != "" {
		w.write("unprotected_override.tf", lifted)
		w.apply()
	}
	if literalID.MatchString(w.configuration()) {
		// With literal ids, Terraform does not know the dependencies. If the objects are
		// destroyed at the same time, the provider finds one gone after the other and
		// confirms that, which takes 15 seconds.
		w.destroyAllBut("hosting_instance.", "hosting_postgres_database.")
		w.destroyAllBut("hosting_instance.")
	}
	w.terraform("destroy", "-auto-approve")
	if left := w.terraform("state", "list"); left != "" {
		w.t.Errorf("the state after the destroy: got\n%s\nwant nothing", left)
	}
}

var literalID = regexp.MustCompile(`(?m)^  instance_id\s*= "`)

// destroyAllBut destroys all resources except those of some types.
func (w *workspace) destroyAllBut(types ...string) {
	w.t.Helper()
	arguments := []string{"destroy", "-auto-approve"}
	for address := range strings.Lines(w.terraform("state", "list")) {
		if !slices.ContainsFunc(types, func(of string) bool { return strings.HasPrefix(address, of) }) {
			arguments = append(arguments, "-target="+strings.TrimSpace(address))
		}
	}
	if len(arguments) > 2 { // otherwise it would be everything
		w.terraform(arguments...)
	}
}

// configuration returns the text of the root module.
func (w *workspace) configuration() string {
	w.t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(w.folder, "*.tf")))(w.t)
	var all strings.Builder
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(w.t)
		all.Write(text)
		all.WriteString("\n")
	}
	return all.String()
}
