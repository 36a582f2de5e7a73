package reports

import (
	"strings"
	"testing"
)

// The URL of a webhook is masked when it is read.
func TestMaskedURL(t *testing.T) {
	masked := everyObject("", "", func(o map[string]any) {
		if v, ok := o["url"].(string); ok && strings.HasPrefix(v, "https://hooks") {
			o["url"] = "https://hooks.example.com/***"
		}
	})
	credentials := everyObject("", "", func(o map[string]any) {
		if v, ok := o["url"].(string); ok {
			o["url"] = strings.Replace(v, "in:canary-pw@", "in:***@", 1)
		}
	})
	never := func(w *world) {
		w.t.Helper()
		for _, x := range w.asked("PATCH", webhook) {
			body, _ := x.sent.(map[string]any)
			url, _ := body["url"].(string)
			w.be(!strings.Contains(url, "***"), "the mask was sent: %v", x.sent)
		}
		for _, e := range w.fake.Webhooks() {
			w.be(!strings.Contains(e.URL, "***"), "the service has the mask: %s", e.URL)
		}
	}
	report(t, "dynatrace-oss/terraform-provider-dynatrace#407", "a masked URL", situations{
		"a path": func(w *world) {
			w.secret("T0/B0/canary")
			hcl := func(more string) string { return endpoint("https://hooks.example.com/T0/B0/canary", more) }
			w.behaves(masked)
			w.apply(hcl(""))
			w.settled(hcl(""))
			w.apply(hcl("enabled = false"))
			never(w)
		},
		"a path, with ignore_changes": func(w *world) {
			hcl := func(more string) string {
				return endpoint("https://hooks.example.com/T0/B0/canary", more+"\n  lifecycle {\n    ignore_changes = [url]\n  }")
			}
			w.behaves(masked)
			w.apply(hcl(""))
			w.apply(hcl("enabled = false"))
			w.settled(hcl("enabled = false"))
			never(w)
		},
		"credentials": func(w *world) {
			w.secret("canary-pw")
			hcl := endpoint("https://in:canary-pw@hooks.example.com/in", "")
			w.behaves(credentials)
			if w.run(hcl, "apply").Exit == 1 {
				return // it is refused
			}
			w.settled(hcl)
			never(w)
		},
		"two endpoints": func(w *world) {
			hcl := endpoint("https://hooks.example.com/one", "") +
				strings.Replace(endpoint("https://hooks.example.com/two", ""), `"hook"`, `"twin"`, 1)
			w.behaves(masked)
			w.apply(hcl)
			w.run(hcl, "plan").lacks("the same URL")
			never(w)
		},
	})
}
