package simulation

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

var simUpdate = flag.Bool("sim.update", false, "write the stories of TestStories instead of comparing them")

// TestStories plays fixed scenarios and compares what happens with testdata/stories: the
// calls of the provider, the requests to the service, the errors and warnings, and what each
// command changes in the state. Random worlds check rules that always hold. A story shows
// everything that the provider does in one situation. Events that
// also happen without a disturbance are told in life.txt, and only named elsewhere.
func TestStories(t *testing.T) {
	tier.Change.Only(t)
	usual := everyday{}
	for i, s := range tellStory(t, everydayStory()) {
		usual.learn(everydaySteps[i], s)
	}
	for name, scenarios := range stories() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := storyFile{usual: usual, told: map[string]string{}}
			if name == "life" {
				told.usual = nil
			}
			for _, title := range sortedNames(scenarios) {
				told.add(title, tellStory(t, scenarios[title]))
			}
			file := filepath.Join("testdata", "stories", name+".txt")
			if *simUpdate {
				if err := os.WriteFile(file, []byte(told.out.String()), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := told.out.String(); got != string(want) {
				t.Errorf("%s: %s\nIf the change is intended, run make stories STORIESARGS=-sim.update and read the difference.",
					file, firstDifference(strings.Split(string(want), "\n"), strings.Split(got, "\n")))
			}
		})
	}
}

// tellStory plays a scenario and returns its story, without times, which would change with
// each additional request. Calls run one after the other, so that the order is always the
// same.
func tellStory(t *testing.T, s story) (steps []storyStep) {
	for i := range s.Steps {
		s.Steps[i].Flags |= oneByOne
	}
	warmUp()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(s.scenario)
		w.details = &details{from: s.from, reads: map[string]int{}, states: map[string]map[string]string{}}
		w.playSteps()
		w.endAll()
		for _, v := range w.violations {
			t.Errorf("%s\n%s: %s", s, v.check, v.text)
		}
		steps = storySteps(w.story[w.details.begin:])
	})
	return steps
}

// details is what a story tells after each step, in addition to what happens.
type details struct {
	steps, from, begin int                          // the steps so far, the first one of the text, and the line at which it begins
	reads              map[string]int               // the number of successful reads since then
	states             map[string]map[string]string // the attributes of each resource, as JSON
}

// tellStep adds the command that begins to the story.
func (w *world) tellStep(c *cli, st step) {
	if w.details == nil {
		w.tell("%s: %s", c.name, st.Verb)
		return
	}
	st.Flags &^= oneByOne // every step of a story has it
	w.tell("\n%s: %s", c.name, st)
}

// tellDetails adds the reads of the last step to the story, and its changes of the states.
func (w *world) tellDetails() {
	if w.details == nil {
		return
	}
	d := w.details
	w.mu.Lock()
	reads := d.reads
	d.reads = map[string]int{}
	w.mu.Unlock()
	var texts []string
	for _, line := range sortedNames(reads) {
		texts = append(texts, fmt.Sprintf("%d %s", reads[line], strings.TrimPrefix(line, "GET ")))
	}
	w.tell("    reads: %s", strings.Join(texts, ", "))
	for _, c := range []*cli{w.first, w.other} {
		for _, address := range c.addresses() {
			w.tellChanges(c, address)
		}
		for _, name := range sortedNames(d.states) {
			if address, ok := strings.CutPrefix(name, c.name+" "); ok && c.get(address) == nil {
				w.tell("    %s is no longer in the state", name)
				delete(d.states, name)
			}
		}
	}
	if d.steps++; d.steps == d.from {
		w.mu.Lock()
		d.begin = len(w.story)
		w.mu.Unlock()
	}
}

// tellChanges adds the attributes of a resource that differ from those last added.
func (w *world) tellChanges(c *cli, address string) {
	s, name := c.get(address), c.name+" "+address
	about := map[string]any{}
	_ = json.Unmarshal(s.json, &about) // it was encoded here
	var private map[string][]byte
	_ = json.Unmarshal(s.private, &private) // the framework encodes it, and it may be empty
	for key, note := range private {
		about["private "+key] = json.RawMessage(note)
	}
	if s.tainted {
		about["tainted"] = true
	}
	d := w.details
	told, now, changed := d.states[name], map[string]string{}, []string{}
	d.states[name] = now
	for _, key := range sortedNames(about) {
		text, _ := json.Marshal(about[key]) // it was decoded from JSON
		now[key] = string(text)
		if randomAttributes[key] && about[key] != nil {
			now[key] = "..."
		}
		if told[key] != now[key] && (told != nil || now[key] != "null") {
			changed = append(changed, key+" = "+now[key])
		}
	}
	for _, key := range sortedNames(told) {
		if _, ok := now[key]; !ok {
			changed = append(changed, key+" is gone")
		}
	}
	if len(changed) > 0 {
		w.tell("    %s: %s", name, strings.Join(changed, ", "))
	}
}

// randomAttributes have another value each time.
var randomAttributes = map[string]bool{"auth_anon_key": true, "ca_certificate": true}
