package reports

import (
	"fmt"
	"testing"
)

// A change is answered with a success, and nothing was done.
func TestSuccessWithoutASuccess(t *testing.T) {
	hcl := func(more string) string { return endpoint("https://hooks.example.com/in", more) }
	all := situations{}
	for status, answer := range map[int]any{
		200: map[string]any{"detail": "endpoint is locked", "code": "locked"}, 202: map[string]any{}, 204: nil,
	} {
		all["a deletion that is answered "+fmt.Sprint(status)] = func(w *world) {
			w.apply(hcl(""))
			w.behaves(trait{method: "DELETE", path: webhook, before: func(x *exchange) { x.status, x.answer = status, answer }})
			w.run(hcl(""), "destroy").fails()
			w.manages(endpointAddress)
		}
	}
	all["a change that is answered with an error's body"] = func(w *world) {
		w.apply(hcl(""))
		w.behaves(trait{method: "PATCH", path: webhook, before: func(x *exchange) {
			x.status, x.answer = 200, map[string]any{"detail": "endpoint is locked", "code": "locked"}
		}})
		w.run(hcl("enabled = false"), "apply").fails()
		w.holds(true, endpointAddress, "enabled")
	}
	all["a creation that is answered with nothing"] = func(w *world) {
		w.behaves(trait{method: "POST", path: webhooks, before: func(x *exchange) { x.status, x.answer = 200, map[string]any{} }})
		w.run(hcl(""), "apply").fails()
		w.be(len(w.cli.State()) == 0, "in the state: %v", w.cli.State())
	}
	report(t, "jianyuan/terraform-provider-sentry#40", "a success without a success", all)
}
