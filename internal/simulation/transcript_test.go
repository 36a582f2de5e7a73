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

// recordings reads what real CLIs asked in a scenario.
func recordings(scenario string) (transcript.Recordings, error) {
	text, err := os.ReadFile(transcriptFile(scenario))
	return transcript.ParseRecordings(string(text)), err
}

func transcriptFile(scenario string) string {
	return filepath.Join("testdata", "transcripts", strings.ReplaceAll(strings.ReplaceAll(scenario, ",", ""), " ", "-")+".txt")
}

// TestSimulatedCLIAsksAsTheRealOnes compares the simulated CLI with the recorded calls of
// real ones. If it fails, the simulated CLI is wrong, or the scenario has changed and `make
// transcripts` must record it again.
func TestSimulatedCLIAsksAsTheRealOnes(t *testing.T) {
	tier.Change.Only(t)
	warmUp()
	for kind := range cliKinds {
		for _, s := range transcriptScenarios() {
			if s.needs == nil || kind.version().Lacks(*s.needs) == "" {
				t.Run(kind.String()+"/"+s.name, func(t *testing.T) { asksAs(t, kind.String(), s, kind) })
			}
		}
	}
	for _, s := range minimalRefreshScenarios() {
		t.Run(minimalRefresher+"/"+s.name, func(t *testing.T) { asksAs(t, minimalRefresher, s, terraform116) })
	}
}

// asksAs compares the calls of a simulated CLI with those that were recorded.
func asksAs(t *testing.T, cli string, s transcriptScenario, kind cliKind) {
	t.Helper()
	r, err := recordings(s.name)
	if err != nil {
		t.Fatal(err)
	}
	want := r[cli]
	for _, first := range firstSteps {
		begun, err := recordings(first)
		if err != nil {
			t.Fatal(err)
		}
		want = transcript.Whole(want, first, begun[cli])
	}
	if diff := cmp.Diff(want, simulatedTranscript(t, s, kind)); diff != "" {
		t.Errorf("the calls of the simulated CLI, against those of %s (-want +got); after a change of a scenario, make transcripts writes %s again:\n%s",
			cli, transcriptFile(s.name), diff)
	}
}

// simulatedTranscript plays a scenario with the simulated CLI.
func simulatedTranscript(t *testing.T, s transcriptScenario, kind cliKind) (lines []string) {
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
		lines = transcript.Format(commands)
	})
	return lines
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
