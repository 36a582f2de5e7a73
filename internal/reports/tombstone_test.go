package reports

import (
	"strings"
	"testing"
	"time"
)

// A deleted object is still answered, with a status of its own, and lists leave it out.
func TestTombstone(t *testing.T) {
	// buried answers the record of a machine as it was, with a status.
	buried := func(w *world, status string) trait {
		record, _ := w.fake.Instance(w.id())
		var last any
		w.behaves(trait{method: "GET", path: instance, after: func(x *exchange) {
			if x.status == 200 {
				last = x.answer
			}
		}})
		w.run(machine(""), "plan", "-refresh-only")
		return trait{method: "GET", path: "/instances/" + record.ID, after: func(x *exchange) {
			if body, ok := last.(map[string]any); ok && x.status == 404 {
				body["status"], body["job_id"] = status, nil
				x.status, x.answer = 200, body
			}
		}}
	}
	gone := func(status string) func(*world) {
		return func(w *world) {
			hcl := machine("") + web(onMachine, "")
			w.apply(hcl)
			w.behaves(buried(w, status))
			w.fake.RemoveInstance(w.id())
			o := w.run(hcl, "plan")
			w.be(o.Exit == 1 || o.Changes[machineAddress] == "create", "the plan of a deleted machine: got %v\n%s", o.Changes, o.text())
		}
	}
	destroyed := func(status string) func(*world) {
		return func(w *world) {
			w.apply(machine(""))
			w.behaves(buried(w, status))
			began := time.Now()
			w.run(machine(""), "destroy").succeeds()
			w.be(time.Since(began) < 5*time.Minute, "the destroy took %s", time.Since(began))
			w.be(len(w.cli.State()) == 0, "left in the state: %v", w.cli.State())
			w.counts(1, "DELETE", instance)
		}
	}
	report(t, "gitlabhq/terraform-provider-gitlab#272", "a tombstone", situations{
		"deleted in the portal": gone("deleted"), "terminated in the portal": gone("terminated"),
		"destroyed": destroyed("deleted"), "destroyed and kept as deleting": destroyed("deleting"),
		"changed after a failed deletion": func(w *world) {
			w.free("medium")
			w.apply(strings.Replace(machine(""), "deletion_protection = false", "", 1))
			w.fake.EditInstance(w.id(), func(i *instanceRecord) { i.Status = "deleting" })
			w.run(strings.Replace(machine(""), `"free"`, `"medium"`, 1), "apply").fails("the deletion of the instance has failed", "undo all other changes")
			w.apply(machine(""))
			w.run(machine(""), "destroy").succeeds()
			w.counts(1, "DELETE", instance)
		},
		"imported while it is deleted": func(w *world) {
			id := w.running()
			_, _ = w.fake.AddApp(id, appRecord{Name: "web", Repo: "acme/web"})
			w.fake.EditInstance(id, func(i *instanceRecord) { i.Status = "deleting" })
			for address, by := range map[string]string{machineAddress: id, webAddress: id + "/web"} {
				w.run(machine("")+web(onMachine, ""), "import", address, by).fails("is being deleted", "Remove the import")
			}
		},
	})
}
