package reports

import (
	"strings"
	"testing"
)

// A creation is answered with the id of an object that existed before, because it has the
// same name. That object belongs to somebody else.
func TestIDOfAnOlderObject(t *testing.T) {
	second := strings.Replace(machine(""), `"hosting_instance" "a"`, `"hosting_instance" "b"`, 1)
	older := func(w *world, path, id string) {
		w.behaves(trait{method: "POST", path: path, before: func(x *exchange) {
			x.status = 202
			x.answer = map[string]any{"id": id, "status": "running", "job_id": nil, "url": "https://hooks.example.com/in"}
		}})
	}
	report(t, "aequitas/terraform-provider-transip#19", "the id of an older object", situations{
		"of a machine that Terraform manages": func(w *world) {
			w.apply(machine(""))
			older(w, instances, w.id())
			w.run(machine("")+second, "apply").fails(w.id())
			w.be(w.cli.Attribute("hosting_instance.b", "id") == nil, "both addresses have the machine")
			w.counts(0, "DELETE", "")
		},
		"of a machine that somebody else made": func(w *world) {
			id := w.running()
			older(w, instances, id)
			w.run(machine(""), "apply").fails(id)
			w.be(w.cli.Attribute(machineAddress, "id") == nil, "the state has somebody else's machine")
			w.counts(0, "DELETE", "")
		},
		"of an endpoint": func(w *world) {
			made := w.fake.AddWebhook(webhookRecord{URL: "https://hooks.example.com/in", Enabled: true})
			w.behaves(trait{method: "POST", path: webhooks, before: func(x *exchange) {
				x.status, x.answer = 201, map[string]any{"id": made.ID, "url": made.URL, "enabled": true}
			}})
			w.run(endpoint("https://hooks.example.com/in", ""), "apply").fails(made.ID, "existed before")
			w.be(len(w.cli.State()) == 0, "the state has somebody else's endpoint")
		},
	})
}
