//go:build transcripts

package simulation

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	testmachine "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/transcript"
)

// recordWith names the CLI that TestRecordTranscripts runs, such as
// terraform-1.16=/usr/bin/terraform.
var recordWith = flag.String("transcripts.cli", "", "NAME=PATH of the CLI whose calls are written to testdata/transcripts")

// TestRecordTranscripts plays the scenarios with a real CLI and records its calls. It leaves
// those of the other CLIs as they are.
func TestRecordTranscripts(t *testing.T) {
	name, cli, given := strings.Cut(*recordWith, "=")
	if !given {
		t.Fatal("make transcripts says which CLI it is about")
	}
	folder := t.TempDir()
	if err := program.Build(filepath.Join(folder, program.Provider), "cmd/recorder"); err != nil {
		t.Fatal(err)
	}
	version, err := cliversion.Of(t.Context(), cli)
	if err != nil {
		t.Fatal(err)
	}
	scenarios := transcriptScenarios()
	if name == minimalRefresher {
		scenarios = minimalRefreshScenarios()
	}
	var mu sync.Mutex
	recorded := map[string][]string{}
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				if s.needs != nil {
					if lacks := version.Lacks(*s.needs); lacks != "" {
						t.Skip(lacks)
					}
				}
				lines := record(t, s, cli, folder)
				mu.Lock()
				defer mu.Unlock()
				recorded[s.name] = lines
			})
		}
	})
	if t.Failed() {
		return
	}
	for scenario, lines := range recorded {
		r, err := recordings(scenario)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, first := range firstSteps {
			lines = transcript.Shorten(lines, first, recorded[first])
		}
		r[name] = lines
		if err := os.WriteFile(transcriptFile(scenario), []byte(r.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// record plays a scenario with a real CLI.
func record(t *testing.T, s transcriptScenario, cli, provider string) []string {
	t.Helper()
	r := newRecording(t, cli, provider)
	r.config, r.createsFirst = s.begin.configuration(), s.createsFirst
	var commands []transcript.Command
	for _, st := range s.steps {
		command := commandOf(r.config, st)
		command.Calls = r.step(st)
		commands = append(commands, command)
	}
	return transcript.Format(commands)
}

// A recording is a folder in which a real CLI works on its own fake.
type recording struct {
	t           *testing.T
	fake        *fakeservicetest.Server
	cli, folder string
	env         []string
	config      configuration
	// createsFirst is the address of a resource with create_before_destroy.
	createsFirst string
	// release releases the held jobs; nil if none are held.
	release func()
}

func newRecording(t *testing.T, cli, provider string) *recording {
	t.Helper()
	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = 2400 })
	r := &recording{t: t, fake: fake, cli: cli, folder: t.TempDir()}
	r.write("cli.tfrc", cliconfig.DevOverrides(provider))
	r.env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(r.folder, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"HOSTING_BASE_URL="+fake.BaseURL, "HOSTING_API_KEY="+fakeservicetest.APIKey, "HOSTING_TRANSCRIPT="+filepath.Join(r.folder, "calls.json"))
	return r
}

func (r *recording) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// step plays a step, and returns the calls of the provider.
func (r *recording) step(st step) []transcript.Call {
	r.t.Helper()
	r.config.edit(st.Edits)
	r.write("main.tf", hclOf(r.config.blocks(), r.config[argEphemeral] == 1, r.createsFirst))
	r.write("more.tf", "")
	for _, d := range st.Deeds {
		r.person(d.Kind)
	}
	r.write("calls.json", "")
	for _, args := range r.commands(st) {
		r.run(st.Cut, args...)
	}
	return r.calls()
}

// person does what the simulation's people do.
func (r *recording) person(does deedKind) {
	r.t.Helper()
	id := ""
	for _, i := range r.fake.Instances() {
		id = i.ID
	}
	switch does {
	case addsTag:
		r.fake.EditInstance(id, func(i *fakeservice.Instance) { i.Tags = append(i.Tags, "portal") })
	case deletesApp:
		r.fake.RemoveApp(id, "guestbook")
	case deletesInstance:
		r.fake.RemoveInstance(id)
	case failsCreation, failsResize, failsDeletion:
		operation := map[deedKind]string{failsCreation: "create", failsResize: "resize", failsDeletion: "delete"}[does]
		r.fake.FailJobs(fakeservice.JobMatch{Operation: operation}, 1, "trouble", "the machine is on fire")
	default:
		r.t.Fatalf("nobody here %s", does)
	}
}

// commands returns the command lines of a step.
func (r *recording) commands(st step) [][]string {
	blocks := r.config.blocks()
	inState := func() string { return sortedNames(byAddress(blocks))[st.Target] }
	var flags []string
	if st.Flags != 0 {
		flags = strings.Fields(st.Flags.String())
	}
	with := func(args ...string) [][]string { return [][]string{slices.Concat(args, flags)} }
	switch st.Verb {
	case apply:
		return with("apply", "-auto-approve")
	case refresh:
		return with("apply", "-auto-approve", "-refresh-only")
	case destroy:
		return with("destroy", "-auto-approve")
	case targeted:
		return with("apply", "-auto-approve", "-target="+blocks[st.Target].address)
	case replace:
		return with("apply", "-auto-approve", "-replace="+inState())
	case taint:
		return with("taint", inState())
	case reimport:
		address := inState()
		return [][]string{{"state", "rm", address}, {"import", address, r.importID(address)}}
	case importByID, importByIdentity:
		address := inState()
		r.run(cut{}, "state", "rm", address)
		r.write("calls.json", "")
		by := fmt.Sprintf("id = %q", r.importID(address))
		if st.Verb == importByIdentity { // the identity of an app
			by = fmt.Sprintf("identity = { instance_id = %q, name = \"guestbook\" }", r.fake.Instances()[0].ID)
		}
		r.write("more.tf", fmt.Sprintf("import {\n  to = %s\n  %s\n}\n", address, by))
		return with("apply", "-auto-approve")
	case move:
		address := inState()
		kind, _, _ := strings.Cut(address, ".")
		for n := range blocks {
			if blocks[n].address == address {
				blocks[n].address = kind + movedName
			}
		}
		r.write("main.tf", hclOf(blocks, false, ""))
		r.write("more.tf", fmt.Sprintf("moved {\n  from = %s\n  to = %s\n}\n", address, kind+movedName))
		return with("apply", "-auto-approve")
	case forget:
		address := inState()
		r.write("main.tf", hclOf(slices.DeleteFunc(blocks, func(b block) bool { return b.address == address }), false, ""))
		r.write("more.tf", fmt.Sprintf("removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address))
		return with("apply", "-auto-approve")
	case query:
		r.write("all.tfquery.hcl", "list \"hosting_instance\" \"all\" {\n  provider = hosting\n  include_resource = true\n}\n")
		return with("query")
	case rotate:
		r.write("more.tf", fmt.Sprintf("action \"hosting_instance_rotate\" \"this\" {\n  config {\n    instance_id = %s.id\n  }\n}\n", webAddress))
		return with("apply", "-auto-approve", "-invoke=action.hosting_instance_rotate.this")
	}
	r.t.Fatalf("%s cannot be recorded", st.Verb)
	return nil
}

// importID returns the id by which a resource of the state is imported.
func (r *recording) importID(address string) string {
	instance := r.fake.Instances()[0].ID
	if address == appAddress {
		return instance + "/guestbook"
	}
	return instance
}

// run runs the CLI once. Its calls show the outcome; its error is ignored, because a
// scenario may be about one.
func (r *recording) run(c cut, args ...string) {
	r.t.Helper()
	command := exec.Command(r.cli, append(args, "-no-color")...)
	command.Dir, command.Env = r.folder, r.env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a signal reaches only the CLI
	switch {
	case c.At > 0:
		r.release = r.fake.HoldJobs(fakeservice.JobMatch{})
		go func() {
			testmachine.Until(r.t, "a job is polled", func() bool { return r.fake.Count("GET", "/jobs/*") > 0 })
			_ = command.Process.Signal(syscall.SIGINT)
		}()
	case r.release != nil:
		release := r.release
		r.release = nil
		go func() { // the creation continues until the apply waits for it
			testmachine.Until(r.t, "the plan is carried out", func() bool {
				return len(planning(r.calls())) > 1
			})
			release()
		}()
	}
	output, err := command.CombinedOutput()
	r.t.Logf("%s: %v\n%s", strings.Join(args, " "), err, output)
}

// calls returns the calls of the step.
func (r *recording) calls() []transcript.Call {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.folder, "calls.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	var calls []transcript.Call
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // it is being written
		}
		var call transcript.Call
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			r.t.Fatal(err)
		}
		calls = append(calls, call)
	}
	return calls
}

// planning returns the processes that were asked for a plan.
func planning(calls []transcript.Call) map[int]bool {
	processes := map[int]bool{}
	for _, call := range calls {
		if call.Method == "plan" {
			processes[call.Process] = true
		}
	}
	return processes
}
