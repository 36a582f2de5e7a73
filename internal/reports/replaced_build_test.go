package reports

import (
	"maps"
	"testing"
)

// Somebody pushes while a build runs: the platform cancels it, and builds the newer commit.
func TestReplacedBuild(t *testing.T) {
	// replaces shows each newest build as cancelled, and above it others that replace it. The last of
	// them has the true status of the build, or another one.
	replaces := func(newer []string, status string) trait {
		return trait{method: "GET", path: builds, after: func(x *exchange) {
			list, ok := x.object()["builds"].([]any)
			if !ok || len(list) == 0 {
				return
			}
			own := list[0].(map[string]any)
			for _, id := range newer {
				next := maps.Clone(own)
				next["id"] = id
				own["status"], own["error"] = "cancelled", "replaced by "+id
				list, own = append([]any{next}, list...), next
			}
			if status != "" {
				own["status"] = status
			}
			x.object()["builds"] = list
		}}
	}
	hcl := machine("") + web(onMachine, `public = true`)
	report(t, "PostHog/posthog#84366", "a build that a newer one replaces", situations{
		"the first build": func(w *world) {
			w.behaves(replaces([]string{"bld-newer"}, ""))
			w.apply(hcl).lacks("cancelled")
			w.manages(webAddress)
			w.holds("bld-newer", webAddress, "build_id")
			w.settled(hcl)
			w.counts(1, "POST", appImport)
		},
		"two pushes": func(w *world) {
			w.behaves(replaces([]string{"bld-newer", "bld-newest"}, ""))
			w.apply(hcl)
			w.holds("bld-newest", webAddress, "build_id")
			w.settled(hcl)
		},
		"a change of a variable": func(w *world) {
			w.apply(hcl)
			w.behaves(replaces([]string{"bld-newer"}, ""))
			changed := machine("") + web(onMachine, "public = true\n  env = { A = \"1\" }")
			w.apply(changed).lacks("cancelled")
			w.settled(changed)
			w.be(w.builds() == 2, "builds: got %d, want 2", w.builds())
		},
		"the newer one fails": func(w *world) {
			w.behaves(replaces([]string{"bld-newer"}, "failed"))
			w.run(hcl, "apply").fails("build bld-newer", "failed")
		},
		"a person cancels, and builds nothing else": func(w *world) {
			w.behaves(replaces(nil, "cancelled"))
			w.run(hcl, "apply").fails("was cancelled")
		},
	})
}
