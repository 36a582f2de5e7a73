package reports

import "testing"

// The fields of an error's body have other types.
func TestErrorBodyOfAnotherType(t *testing.T) {
	hcl := machine("") + web(onMachine, "")
	body := func(status int, answer map[string]any, method, path string) trait {
		return trait{method: method, path: path, before: func(x *exchange) { x.status, x.answer = status, answer }}
	}
	report(t, "IBM-Cloud/terraform-provider-ibm#590", "an error body of another type", situations{
		"detail is a list": func(w *world) {
			w.apply(machine(""))
			detail := map[string]any{"loc": []any{"body", "port"}, "msg": "must be over 1023"}
			w.behaves(body(422, map[string]any{"detail": []any{detail}}, "POST", appImport))
			w.run(hcl, "apply").fails("must be over 1023").lacks("base_url", "network problem")
			w.counts(1, "POST", appImport)
		},
		"code is a number": func(w *world) {
			w.apply(hcl)
			w.fake.RemoveApp(w.id(), "web")
			w.behaves(trait{after: func(x *exchange) {
				if x.status == 404 {
					x.answer = map[string]any{"detail": "no such app", "code": 404}
				}
			}})
			w.run(hcl, "plan").says("web").lacks("base_url", "network problem")
		},
		"a gateway's number, and the machine is made": func(w *world) {
			w.behaves(trait{method: "POST", path: instances, after: func(x *exchange) {
				x.status, x.answer = 408, map[string]any{"code": 408, "message": "timeout"}
			}})
			w.run(hcl, "apply").succeeds()
			w.manages(machineAddress)
			w.counts(1, "POST", instances)
		},
		"a code of its own": func(w *world) {
			w.apply(machine(""))
			w.behaves(answers("POST", appImport, 422, "repo_not_found", "acme/web is not visible"))
			w.run(hcl, "apply").fails("acme/web is not visible").lacks("base_url")
			w.counts(1, "POST", appImport)
		},
		"no code": func(w *world) {
			w.apply(machine(""))
			w.behaves(body(422, map[string]any{"detail": "port: must be over 1023"}, "POST", appImport))
			w.run(hcl, "apply").fails("must be over 1023").lacks("base_url", "network problem")
		},
	})
}
