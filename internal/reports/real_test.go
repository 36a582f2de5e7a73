package reports

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	goversion "github.com/hashicorp/go-version"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/hclcli"
)

// realSpeed is the speed of the fake's clock for a real CLI: a creation takes 0.2 s.
const realSpeed = 2400

// builtProvider is the folder of the provider's program, which is built once.
var builtProvider = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "hosting-provider")
	if err == nil {
		err = program.Build(filepath.Join(folder, program.Provider), ".")
	}
	return folder, err
})

func endRealWorlds() {
	if *realCLI != "" {
		if folder, err := builtProvider(); err == nil {
			_ = os.RemoveAll(folder)
		}
	}
}

// A workspace is a folder in which a real CLI runs.
type workspace struct {
	t      *testing.T
	folder string
	env    []string
}

func newRealWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	built, err := builtProvider()
	if err != nil {
		t.Fatal(err)
	}
	fake := fakeservice.New(fakeservice.Options{APIKey: apiKey, Speed: realSpeed, Querier: fakeservice.QuerierFunc(queries)})
	w := &world{t: t, service: &service{fake: fake}}
	server := httptest.NewServer(w.service)
	t.Cleanup(func() {
		server.Close()
		_ = fake.Close() // it has no data plane
	})
	at := &workspace{t: t, folder: t.TempDir()}
	at.env = append(os.Environ(),
		"TF_CLI_CONFIG_FILE="+filepath.Join(at.folder, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"TF_LOG_PROVIDER=DEBUG", "TF_LOG_PATH="+filepath.Join(at.folder, "provider.log"),
		"HOSTING_BASE_URL="+server.URL+prefix, "HOSTING_API_KEY="+apiKey)
	at.write("cli.tfrc", cliconfig.DevOverrides(built))
	w.cli, w.logs = at, func() string { return at.read("provider.log") }
	return w
}

func (w *workspace) write(name, content string) {
	if err := os.WriteFile(filepath.Join(w.folder, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) read(name string) string {
	content, err := os.ReadFile(filepath.Join(w.folder, name))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(content)
}

// isTofu reports whether the situation runs on a real OpenTofu.
func (w *world) isTofu() bool { return strings.Contains(filepath.Base(*realCLI), "tofu") }

// isTerraform reports whether the situation runs on a real Terraform before a version.
func (w *world) isTerraform(before string) bool {
	if *realCLI == "" {
		return false
	}
	found, err := cliversion.Of(w.t.Context(), *realCLI)
	if err != nil {
		w.t.Fatal(err)
	}
	return found.Product == cliversion.Terraform && found.Number.LessThan(goversion.Must(goversion.NewVersion(before)))
}

// Run implements commander.
func (w *workspace) Run(hcl string, arguments ...string) hclcli.Result {
	w.write("main.tf", "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n\n"+hcl)
	verb := arguments[0]
	asJSON := slices.Contains([]string{"plan", "apply", "destroy"}, verb)
	if asJSON {
		arguments = append(slices.Clone(arguments), "-json")
	}
	switch verb {
	case "plan":
		arguments = append(arguments, "-detailed-exitcode")
	case "apply", "destroy":
		arguments = append(arguments, "-auto-approve")
	}
	command := exec.Command(*realCLI, arguments...)
	command.Dir, command.Env = w.folder, w.env
	output, _ := command.CombinedOutput() // the exit code says it
	made := hclcli.Result{Exit: command.ProcessState.ExitCode(), Changes: map[string]string{}}
	if !asJSON {
		severity := "warning"
		if made.Exit != 0 {
			made.Exit, severity = 1, "error"
		}
		made.Diagnostics = []hclcli.Diagnostic{{Severity: severity, Summary: unwrapped(string(output))}}
		return made
	}
	for line := range strings.Lines(string(output)) {
		w.note(&made, line)
	}
	return made
}

// A line is a line of the output of a CLI with -json.
type line struct {
	Type       string
	Diagnostic *struct {
		Severity, Summary, Detail, Address string
	}
	Change *struct {
		Resource struct{ Addr string }
		Action   string
	}
	Outputs map[string]struct{ Action string }
}

// note adds what one line of the output says to a result.
func (w *workspace) note(made *hclcli.Result, text string) {
	var l line
	if json.Unmarshal([]byte(text), &l) != nil {
		return // such as a hint before the output
	}
	switch {
	case l.Diagnostic != nil:
		said := l.Diagnostic
		d := hclcli.Diagnostic{Severity: said.Severity, Summary: said.Summary, Detail: said.Detail, Address: said.Address}
		if !strings.Contains(d.Summary, "Provider development overrides") {
			made.Diagnostics = append(made.Diagnostics, d)
		}
	case l.Type == "planned_change":
		if l.Change.Action != "noop" {
			made.Changes[l.Change.Resource.Addr] = l.Change.Action
		}
	case l.Type == "outputs" && made.Exit == 2:
		for name, output := range l.Outputs {
			if output.Action != "noop" && output.Action != "" {
				made.Changes["output."+name] = "update"
			}
		}
	}
}

var margins = regexp.MustCompile(`[│╷╵\s]+`)

func unwrapped(output string) string { return margins.ReplaceAllString(output, " ") }

// A saved is a resource of the state file.
type saved struct {
	Mode, Type, Name string
	Instances        []struct {
		Key        any `json:"index_key"`
		Status     string
		Deposed    string
		Attributes map[string]any
	}
}

func (w *workspace) state() (resources []saved, outputs map[string]struct{ Value any }) {
	var state struct {
		Resources []saved
		Outputs   map[string]struct{ Value any }
	}
	if text := w.read("terraform.tfstate"); text != "" {
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			w.t.Fatal(err)
		}
	}
	return state.Resources, state.Outputs
}

// each calls visit with each current object of the state.
func (w *workspace) each(visit func(address, status string, attributes map[string]any)) {
	resources, _ := w.state()
	for _, r := range resources {
		if r.Mode != "managed" {
			continue
		}
		for _, one := range r.Instances {
			key := ""
			if one.Key != nil {
				text, _ := json.Marshal(one.Key) // a number or a string
				key = "[" + string(text) + "]"
			}
			if one.Deposed == "" {
				visit(r.Type+"."+r.Name+key, one.Status, one.Attributes)
			}
		}
	}
}

// State implements commander.
func (w *workspace) State() (all []string) {
	w.each(func(address, _ string, _ map[string]any) { all = append(all, address) })
	slices.Sort(all)
	return all
}

// Tainted implements commander.
func (w *workspace) Tainted(address string) (tainted bool) {
	w.each(func(one, status string, _ map[string]any) { tainted = tainted || one == address && status == "tainted" })
	return tainted
}

// Attribute implements commander.
func (w *workspace) Attribute(address string, path ...string) (value any) {
	w.each(func(one, _ string, attributes map[string]any) {
		if one != address {
			return
		}
		value = attributes
		for _, name := range path {
			members, _ := value.(map[string]any)
			value = members[name]
		}
	})
	return value
}

// Output implements commander.
func (w *workspace) Output(name string) any {
	_, outputs := w.state()
	return outputs[name].Value
}

// Text implements commander.
func (w *workspace) Text() string { return w.read("terraform.tfstate") }
