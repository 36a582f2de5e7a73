package acceptance

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/inprocess"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// A CLI that runs to its end finds the provider in this process. One that is started for a
// signal starts the built program, as for a user, because the signal goes to both.

// builtProvider is the provider's program, built once for all tests.
var builtProvider struct {
	once   sync.Once
	folder string
	err    error
}

func providerFolder(t *testing.T) string {
	t.Helper()
	builtProvider.once.Do(func() {
		builtProvider.folder, builtProvider.err = os.MkdirTemp("", "hosting-provider")
		if builtProvider.err != nil {
			return
		}
		builtProvider.err = program.Build(filepath.Join(builtProvider.folder, program.Provider), ".")
	})
	if builtProvider.err != nil {
		t.Fatal(builtProvider.err)
	}
	return builtProvider.folder
}

// A workspace is a folder with a configuration in which the real CLI runs.
type workspace struct {
	t      *testing.T
	folder string
	env    []string
	cli    string
	// program makes every run start the built program.
	program bool
}

func newWorkspace(t *testing.T, fake *fakeservicetest.Server, configuration string) *workspace {
	t.Helper()
	needsCLI(t)
	t.Parallel()
	return newWorkspaceBeside(t, fake, configuration)
}

// newWorkspaceBeside returns another workspace of the same test.
func newWorkspaceBeside(t *testing.T, fake *fakeservicetest.Server, configuration string) *workspace {
	t.Helper()
	folder := t.TempDir()
	w := &workspace{t: t, folder: folder, cli: cliversion.UnderTest()}
	w.env = append(slices.Clone(environment),
		"TF_CLI_CONFIG_FILE="+filepath.Join(folder, "cli.tfrc"),
		"CHECKPOINT_DISABLE=1",
		"TF_IN_AUTOMATION=1",
		"HOSTING_BASE_URL="+fake.BaseURL,
		"HOSTING_API_KEY="+fakeservicetest.APIKey,
	)
	w.write("cli.tfrc", cliconfig.DevOverrides(providerFolder(t)))
	w.write("main.tf", "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n\n"+configuration)
	return w
}

func (w *workspace) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) command(args ...string) *exec.Cmd {
	command := exec.Command(w.cli, args...)
	command.Dir = w.folder
	command.Env = w.env
	// A separate process group, so that a signal to the group reaches the CLI and the
	// provider but not the test.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return command
}

// A result is the exit code and the output of one run of the CLI.
type result struct {
	exit   int
	output string // both streams, without the margins that wrap diagnostics
}

// run runs the CLI to its end.
func (w *workspace) run(args ...string) result {
	w.t.Helper()
	// The CLI has the logs of a program, but not those of a provider in this process.
	if w.program || pluginserver.LogsWanted(w.env) {
		return w.start(args...).wait()
	}
	found, stop, err := inprocess.Serve(newServer(provider.WithEnvironment(w.getenv)))
	if err != nil {
		w.t.Fatal(err)
	}
	defer stop()
	return w.startWith([]string{inprocess.Variable + "=" + found}, args).wait()
}

// getenv returns a variable of the workspace's environment.
func (w *workspace) getenv(name string) string {
	for _, entry := range slices.Backward(w.env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// apply runs an apply that must succeed.
func (w *workspace) apply() result {
	w.t.Helper()
	r := w.run("apply", "-auto-approve", "-no-color")
	if r.exit != 0 {
		w.t.Fatalf("apply: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	return r
}

// mustBeSettled checks that the next plan is empty.
func (w *workspace) mustBeSettled() {
	w.t.Helper()
	if r := w.run("plan", "-detailed-exitcode", "-no-color"); r.exit != 0 {
		w.t.Fatalf("the plan after the apply: got exit %d, want 0 and no changes:\n%s", r.exit, r.output)
	}
}

// A started is a CLI that runs until it ends or gets a signal.
type started struct {
	t       *testing.T
	command *exec.Cmd
	output  processes.Output
	ended   chan struct{} // closed when the CLI has ended
}

// start starts the CLI with the built program.
func (w *workspace) start(args ...string) *started {
	w.t.Helper()
	return w.startWith(nil, args)
}

func (w *workspace) startWith(more, args []string) *started {
	w.t.Helper()
	s := &started{t: w.t, command: w.command(args...), ended: make(chan struct{})}
	s.command.Env = slices.Concat(w.env, more)
	s.command.Stdout, s.command.Stderr = &s.output, &s.output
	if err := s.command.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.command.Wait() // the exit code is read from the process state
	}()
	w.t.Cleanup(func() {
		if s.runs() { // after that, another process may have the same id
			_ = syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL)
			<-s.ended
		}
	})
	return s
}

// startUntilPolled starts the CLI, and returns once it polls a job.
func (w *workspace) startUntilPolled(fake *fakeservicetest.Server, args ...string) *started {
	w.t.Helper()
	polls := fake.Count("GET", "/jobs/*")
	s := w.start(args...)
	s.until("a job is polled", func() bool { return fake.Count("GET", "/jobs/*") > polls })
	return s
}

// runs reports whether the CLI is still running.
func (s *started) runs() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// until waits until holds returns true, and fails the test if the CLI ends first.
func (s *started) until(what string, holds func() bool) {
	s.t.Helper()
	machine.Until(s.t, what, func() bool {
		ended := !s.runs() // checked first, because the CLI may end during holds
		if holds() {
			return true
		}
		if ended {
			s.t.Fatalf("the CLI: got its end, want before it: %s:\n%s", what, unwrapped(s.output.String()))
		}
		return false
	})
}

// mustRun checks that the CLI is still running, and has not stopped waiting too early.
func (s *started) mustRun() {
	s.t.Helper()
	if !s.runs() {
		s.t.Fatalf("the CLI: got its end, want it still running:\n%s", unwrapped(s.output.String()))
	}
}

func (s *started) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.command.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *started) signalGroup(sig syscall.Signal) {
	s.t.Helper()
	if err := syscall.Kill(-s.command.Process.Pid, sig); err != nil {
		s.t.Fatal(err)
	}
}

func (s *started) wait() result {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(machine.Patience):
		syscall.Kill(-s.command.Process.Pid, syscall.SIGKILL)
		<-s.ended
		s.t.Fatalf("the CLI did not end:\n%s", s.output.String())
	}
	return result{exit: s.command.ProcessState.ExitCode(), output: unwrapped(s.output.String())}
}

// unwrapped joins the lines that the CLI wrapped, and removes their margins.
func unwrapped(output string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(output)), " ")
}

// whenever calls then in the background as soon as holds is true. It does nothing if the
// test ends first.
func whenever(t *testing.T, holds func() bool, then func()) {
	go func() {
		for !holds() {
			select {
			case <-t.Context().Done():
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		then()
	}()
}

// A savedInstance is one object of the state file.
type savedInstance struct {
	Status     string         `json:"status"` // "tainted", or ""
	Attributes map[string]any `json:"attributes"`
	Private    []byte         `json:"private"`
}

// A savedResource is a resource of the state file with its objects.
type savedResource struct {
	Type, Name string
	Instances  []savedInstance
}

// savedResources returns the resources of the state file.
func (w *workspace) savedResources() []savedResource {
	w.t.Helper()
	raw := w.state()
	if raw == "" {
		return nil // a killed CLI leaves an empty file
	}
	var state struct{ Resources []savedResource }
	if err := json.Unmarshal([]byte(raw), &state); err != nil {
		w.t.Fatal(err)
	}
	return state.Resources
}

// state returns the text of the state file, or "" if it does not exist.
func (w *workspace) state() string {
	w.t.Helper()
	raw, err := os.ReadFile(filepath.Join(w.folder, "terraform.tfstate"))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(raw)
}

// saved returns the first object in the state file with a type and a name, or nil if it
// has none.
func (w *workspace) saved(kind, name string) *savedInstance {
	w.t.Helper()
	for _, resource := range w.savedResources() {
		if resource.Type == kind && resource.Name == name && len(resource.Instances) > 0 {
			return &resource.Instances[0]
		}
	}
	return nil
}

// managed returns the addresses of the objects in the state, sorted.
func (w *workspace) managed() []string {
	w.t.Helper()
	var all []string
	for _, resource := range w.savedResources() {
		for range resource.Instances {
			all = append(all, resource.Type+"."+resource.Name)
		}
	}
	slices.Sort(all)
	return all
}

// mustBeKept checks that an object is in the state and not tainted.
func (w *workspace) mustBeKept(kind, name string) *savedInstance {
	w.t.Helper()
	object := w.saved(kind, name)
	if object == nil {
		w.t.Fatalf("%s.%s is not in the state", kind, name)
	}
	if object.Status != "" {
		w.t.Fatalf("the status of %s.%s: got %s, want none", kind, name, object.Status)
	}
	return object
}

// read returns the text of a file of the workspace.
func (w *workspace) read(name string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

// logs makes the CLI write the provider's log to a file, for events that the fake cannot
// see. The returned function reports whether the log contains a text.
func (w *workspace) logs() func(text string) bool {
	path := filepath.Join(w.folder, "provider.log")
	w.env = append(w.env, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+path)
	return func(text string) bool {
		content, err := os.ReadFile(path) // missing until the first line is written
		return err == nil && bytes.Contains(content, []byte(text))
	}
}

// needsCLI skips a test unless acceptance tests are enabled, like the testing framework.
func needsCLI(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		machine.Lacks(t, "acceptance tests run only with TF_ACC=1")
	}
}
