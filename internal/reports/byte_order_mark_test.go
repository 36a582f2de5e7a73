package reports

import (
	"encoding/json"
	"testing"
)

// Each body begins with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	marked := trait{after: func(x *exchange) {
		if x.answer != nil {
			text, _ := json.Marshal(x.answer) // it was decoded
			x.body, x.answer = append([]byte("\xef\xbb\xbf"), text...), nil
			x.header.Set("Content-Type", "application/json")
		}
	}}
	report(t, "grafana/grafana-infinity-datasource#453", "a byte order mark", situations{
		"from the first day": func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.behaves(marked)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", instances)
		},
		"of an error": func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.apply(hcl)
			w.behaves(marked)
			w.fake.RemoveApp(w.id(), "web")
			w.run(hcl, "plan").changes(map[string]string{webAddress: "create"})
		},
	})
}
