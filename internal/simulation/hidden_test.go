package simulation

import (
	"strings"
	"time"
)

// hidden are fields that a service leaves out of its records.
type hidden int

const (
	hidesHost hidden = 1 << iota
	hidesPlan
	hidesCreatedAt
	hidesTags
	hidesEnv
	hidesMemory
	hidesLinks
	asNull           // they are null instead
	allHidden hidden = 1<<iota - 1
)

const hiddenEnd = 8

// hiddenFields are the fields in the order of the bits, those of an instance first.
var hiddenFields = []struct{ record, name string }{
	{"region", "host"}, {"region", "plan"}, {"region", "created_at"}, {"region", "tags"},
	{"repo", "env"}, {"repo", "memory_mb"}, {"repo", "links"},
}

func (h hidden) String() string {
	var all []string
	for i, field := range hiddenFields {
		if h&(1<<i) != 0 {
			of := map[string]string{"region": "", "repo": "app "}[field.record]
			all = append(all, of+field.name)
		}
	}
	if h&asNull != 0 {
		all = append(all, "as null")
	}
	return strings.Join(all, "+")
}

// hide removes fields from an answer.
func (w *world) hide(answer any) {
	w.mu.Lock()
	engineHidden := time.Now().Before(w.engineHiddenUntil)
	w.mu.Unlock()
	hides := w.scenario.Hides
	if hides&^asNull == 0 && !engineHidden {
		return
	}
	for _, record := range recordsIn(answer) {
		for i, field := range hiddenFields {
			_, there := record[field.name]
			if hides&(1<<i) == 0 || !there || record[field.record] == nil {
				continue
			}
			delete(record, field.name)
			w.countOnce(hid(1 << i))
			if hides&asNull != 0 {
				record[field.name] = nil
				w.countOnce(hid(asNull))
			}
		}
		if engines, ok := record["engines"].(map[string]any); ok && engineHidden && record["region"] != nil && len(engines) > 0 {
			names := sortedNames(engines)
			delete(engines, names[len(names)-1])
			w.countOnce(engineWasHidden)
		}
	}
}

// recordsIn returns the records in an answer: those of a list, or the answer itself.
func recordsIn(answer any) []map[string]any {
	body, _ := answer.(map[string]any)
	if body == nil {
		return nil
	}
	all := []map[string]any{body}
	for _, collection := range []string{"instances", "apps"} {
		list, _ := body[collection].([]any)
		for _, one := range list {
			if record, ok := one.(map[string]any); ok {
				all = append(all, record)
			}
		}
	}
	return all
}

// hidesEngines reports whether a read since then may have shown an instance without one of
// its engines.
func (w *world) hidesEngines(since time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return since.Before(w.engineHiddenUntil)
}

// hidesVariables reports whether the records of apps have no variables.
func (w *world) hidesVariables() bool {
	return w.scenario.Hides&hidesEnv != 0 || w.scenario.Shapes&fewSettings != 0
}
