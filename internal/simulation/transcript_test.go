package simulation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/transcript"
)

// transcriptFile returns the path of a CLI's transcript.
func transcriptFile(cli, scenario string) string {
	return filepath.Join("testdata", "transcripts", cli, strings.ReplaceAll(scenario, " ", "-")+".txt")
}

// TestMinimalRefresh compares the simulated CLI with handwritten transcripts of Terraform
// 1.17: each line that begins with # names its source.
func TestMinimalRefresh(t *testing.T) {
	tier.Change.Only(t)
	warmUp()
	for _, s := range minimalRefreshScenarios() {
		t.Run(s.name, func(t *testing.T) {
			written, err := os.ReadFile(transcriptFile("terraform-1.17", s.name))
			if err != nil {
				t.Fatal(err)
			}
			lines := slices.DeleteFunc(strings.Split(string(written), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
			if diff := cmp.Diff(lines, strings.Split(simulatedTranscript(t, s, terraform116), "\n")); diff != "" {
				t.Errorf("the calls of the simulated CLI, against those of Terraform 1.17 (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSimulatedCLIAsksAsTheRealOnes compares the simulated CLI with the recorded calls of
// real ones. If it fails, the simulated CLI is wrong, or the scenario has changed and `make
// transcripts` must record it again.
func TestSimulatedCLIAsksAsTheRealOnes(t *testing.T) {
	tier.Change.Only(t)
	warmUp()
	for kind := range cliKinds {
		for _, s := range transcriptScenarios() {
			if s.needs != nil && kind.version().Lacks(*s.needs) != "" {
				continue
			}
			t.Run(kind.String()+"/"+s.name, func(t *testing.T) {
				recorded, err := os.ReadFile(transcriptFile(kind.String(), s.name))
				if err != nil {
					t.Fatal(err)
				}
				got := simulatedTranscript(t, s, kind)
				if diff := cmp.Diff(strings.Split(string(recorded), "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("the calls of the simulated CLI, against those of %s (-want +got); after a change of a schema or a scenario, make transcripts writes %s again:\n%s", kind, transcriptFile(kind.String(), s.name), diff)
				}
			})
		}
	}
}

// simulatedTranscript plays a scenario with the simulated CLI.
func simulatedTranscript(t *testing.T, s transcriptScenario, kind cliKind) (text string) {
	synctest.Test(t, func(*testing.T) {
		w := newWorld(scenario{CLI: kind, Begin: s.begin, Steps: s.steps})
		w.first.createsFirst = s.createsFirst
		var commands []transcript.Command
		w.record = func(call transcript.Call) {
			w.mu.Lock()
			defer w.mu.Unlock()
			last := &commands[len(commands)-1]
			last.Calls = append(last.Calls, call)
		}
		for _, st := range s.steps {
			w.mu.Lock()
			commands = append(commands, commandOf(w.config, st))
			w.mu.Unlock()
			w.step(st)
		}
		w.record = func(transcript.Call) {}
		w.comeToRest()
		w.end()
		text = transcript.Format(commands)
	})
	return text
}

// commandOf returns the command of a step, without calls.
func commandOf(before configuration, st step) transcript.Command {
	now := before
	now.edit(st.Edits)
	c := transcript.Command{Line: stepLine(st)}
	for _, b := range slices.Concat(before.blocks(), now.blocks()) {
		for _, address := range b.references() {
			kind, _, _ := strings.Cut(address, ".")
			if r := (transcript.Reference{From: b.kind, To: kind}); !slices.Contains(c.References, r) {
				c.References = append(c.References, r)
			}
		}
	}
	return c
}

// stepLine returns a step as a line of a transcript.
func stepLine(st step) string {
	_, line, _ := strings.Cut(scenario{Steps: []step{st}}.String(), "\n")
	return line
}
