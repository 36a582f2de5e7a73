package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Faults of answers with an unexpected shape, and of answers that are outdated or
// strange.
var shapeFaults = []faultRow{
	{45, "a 202 that holds the job's own record, one of it fails", func(t *testing.T) string {
		fake, _ := startRecorded(t)
		shaped := front{answer: func(_ *http.Request, answer any) any {
			body, isObject := answer.(map[string]any)
			id, accepted := body["job_id"].(string)
			if _, record := body["region"]; !isObject || !accepted || record {
				return answer
			}
			for _, job := range fake.Jobs() {
				if job.ID == id {
					return map[string]any{"id": id, "instance_id": job.InstanceID, "operation": job.Operation, "target": job.Target, "status": "queued", "progress": 0}
				}
			}
			return answer
		}}.before(t, fake)
		fake.FailJobs(fakeservice.JobMatch{Operation: "allowlist"}, 1, "trouble", "the wall burns")
		w := newWorkspaceBeside(t, shaped, "")
		w.write("main.tf", everyType(t, "after"))
		r := w.fails("The wall burns (trouble)")
		must(t, strings.Count(r.output, "Error:") == 1, "the apply: got\n%s\nwant only the error of the job", r.output)
		must(t, w.saved("hosting_allowlist", "test") == nil, "an allowlist that is not in force is in the state")
		w.apply()
		w.mustBeSettled()
		fake.FailJobs(fakeservice.JobMatch{Operation: "delete"}, 1, "trouble", "it will not go")
		r = w.run("destroy", "-auto-approve", "-no-color")
		must(t, r.exit == 1 && strings.Contains(r.output, "It will not go (trouble)"), "the destroy: got exit %d, want 1 and the job's error:\n%s", r.exit, r.output)
		w.mustBeKept("hosting_instance", "test")
		w.destroysAll(fake)
		return fmt.Sprintf("2 failed jobs seen, %d types made and destroyed in %d jobs", len(managedTypes(t)), len(fake.Jobs()))
	}},
	{46, "bare arrays, other types, a checkout_url that stays", func(t *testing.T) string {
		fake, _ := startRecorded(t)
		w := newWorkspaceBeside(t, front{answer: func(_ *http.Request, answer any) any { return strange(answer) }}.before(t, fake), "")
		w.write("main.tf", strings.Replace(everyType(t, "after"), `"free"`, `"small"`, 1))
		w.fails("waits for its checkout")
		id := idOf(t, fake, "store")
		release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		must(t, fake.PayCheckout(id) == nil, "the checkout cannot be paid")
		polls := fake.Count("GET", "/jobs/*")
		apply := w.start("apply", "-auto-approve", "-no-color")
		apply.until("the paid creation is waited for", func() bool { return fake.Count("GET", "/jobs/*") > polls+2 })
		release()
		r := apply.wait()
		must(t, r.exit == 0, "the apply: got exit %d, want 0:\n%s", r.exit, r.output)
		w.mustBeSettled()
		w.destroysAll(fake)
		must(t, fake.Count("POST", "/instances") == 1, "creations: got %d, want 1", fake.Count("POST", "/instances"))
		return fmt.Sprintf("%d types made, plan empty, destroyed; %s", len(managedTypes(t)), counts(fake, "POST /instances"))
	}},
	{47, "the list of instances answers 403, with five of them", func(t *testing.T) string {
		fake := startFake(t)
		five := func(tag string) string {
			return strings.Replace(instanceHCL(plainInstance+"\n  tags = [\""+tag+"\"]"), "name                = \"test\"", "count = 5\n  name = \"test-${count.index}\"", 1)
		}
		w := newWorkspaceBeside(t, fake, five("a"))
		w.apply()
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances", Times: -1, Status: http.StatusForbidden, Code: "forbidden"})
		w.mustBeSettled()
		w.configure(five("b"))
		w.apply()
		w.mustBeSettled()
		w.mustBeDestroyed(fake, w.start("destroy", "-auto-approve", "-no-color"))
		refused := fake.Count("GET", "/instances") - wellAnswered(fake, "GET", "/instances")
		must(t, refused > 0, "the list was never asked for")
		return fmt.Sprintf("5 refreshed, changed and destroyed, %d lists refused", refused)
	}},
	{48, "the pages of the list go round in a circle", func(t *testing.T) string {
		fake := startFake(t)
		var pages atomic.Int64
		var round atomic.Bool
		circle := front{
			request: func(r *http.Request) {
				if query := r.URL.Query(); query.Has("cursor") { // the fake returns no cursor
					r.Header.Set("X-Cursor", query.Get("cursor"))
					r.URL.RawQuery = url.Values{}.Encode()
				}
			},
			answer: func(r *http.Request, answer any) any {
				if body, ok := answer.(map[string]any); ok && body["instances"] != nil && round.Load() {
					pages.Add(1)
					body["next_cursor"] = map[string]string{"": "a", "a": "b", "b": "a"}[r.Header.Get("X-Cursor")]
				}
				return answer
			},
		}.before(t, fake)
		w := newWorkspaceBeside(t, circle, strings.Replace(instanceHCL(plainInstance), "name                = \"test\"", "count = 4\n  name = \"test-${count.index}\"", 1))
		round.Store(true) // it proves nothing about namesakes
		w.fails("changes while it is read")
		must(t, fake.Count("POST", "/instances") == 0, "creations: got %d, want none", fake.Count("POST", "/instances"))
		round.Store(false)
		w.apply()
		round.Store(true)
		w.mustBeSettled()
		w.mustBeDestroyed(fake, w.start("destroy", "-auto-approve", "-no-color"))
		must(t, fake.Count("POST", "/instances") == 4 && pages.Load() <= 120, "got %d creations and %d pages, want 4 and at most 120", fake.Count("POST", "/instances"), pages.Load())
		return fmt.Sprintf("4 made, refreshed and destroyed, %d pages of 3 that go round", pages.Load())
	}},
	{49, "passwords in a refusal, a secret that is a word of it", func(t *testing.T) string {
		fake := seededApps(t)
		app := func(port int) string {
			return oneApp(fmt.Sprintf("port = %d\nsecret_env_wo = { STATE = \"running\" }\nsecret_env_wo_version = %[1]d", port))
		}
		w := newWorkspaceBeside(t, fake, app(3000))
		w.apply()
		// The refusals are still recognized. Only their code says that the instance was
		// busy, because its record no longer names a job.
		sent := fake.Count("PATCH", "/instances/*/apps/*")
		fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Times: 2, Status: http.StatusConflict, Code: "job_running",
			Detail: `busy with "postgresql://owner:canary-one@h/d","url":"redis://:canary-two@h/0"`})
		w.configure(app(8080))
		r := w.apply()
		must(t, !strings.Contains(r.output, "canary"), "the apply: got\n%s\nwant it without the canary", r.output)
		must(t, fake.Count("PATCH", "/instances/*/apps/*") == sent+3, "PATCHes: got %d, want 3", fake.Count("PATCH", "/instances/*/apps/*")-sent)
		w.mustBeSettled()
		// A refusal that is shown keeps its code and loses the passwords.
		fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: http.StatusUnprocessableEntity,
			Detail: "not while postgresql://owner:canary-one@h/d is running"})
		w.configure(app(9090))
		r = w.fails("Not while postgresql://owner:(secret)@h/d is (secret) (PATCH", "answered 422 validation_failed", "Change the value that the service refused")
		must(t, !strings.Contains(r.output, "canary"), "the apply: got\n%s\nwant it without the canary", r.output)
		return "2 refusals waited out, 1 shown with its code; 3 secrets in 0 places"
	}},
	{50, "a restarted app still shows its older status", func(t *testing.T) string {
		atOnce(t, map[string]func(*testing.T){
			"failed before": func(t *testing.T) {
				fake := seededApps(t)
				w := newWorkspaceBeside(t, fake, oneApp(""))
				w.program = true
				w.apply()
				fake.EditApp("i-one", "guestbook", func(a *fakeservice.App) { a.Status = "failed" })
				older := showsOlder(fake, "failed", "running")
				w.configure(oneApp("port = 8080"))
				w.apply()
				must(t, older() == 0, "the older status was not waited out")
				w.mustBeSettled()
			},
			"running before": func(t *testing.T) {
				fake := seededApps(t)
				w := newWorkspaceBeside(t, fake, oneApp(""))
				w.program = true // waits for its older reads as long as a user's does
				w.apply()
				older := showsOlder(fake, "running", "failed")
				w.configure(oneApp("port = 8080"))
				w.fails("App guestbook does not run")
				must(t, older() == 0, "the older status was believed")
			},
		})
		return "5 older looks each: failed, then running: done; running, then failed: an error"
	}},
}

// showsOlder makes a changed app show its previous status for five reads, and another one
// afterwards. The returned function returns the number of those five reads that are left.
func showsOlder(fake *fakeservicetest.Server, before, after string) (left func() int64) {
	var changed atomic.Bool
	var looks atomic.Int64
	looks.Store(5)
	fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", After: func() { changed.Store(true) }})
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/apps/*", Times: -1, Rewrite: func(record map[string]any) {
		switch {
		case !changed.Load():
		case looks.Add(-1) >= 0:
			record["status"] = before
		default:
			record["status"] = after
		}
	}})
	return func() int64 { return max(looks.Load(), 0) }
}

// destroysAll runs a destroy that must leave only the seeded objects.
func (w *workspace) destroysAll(fake *fakeservicetest.Server) {
	w.t.Helper()
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(w.t, r.exit == 0, "the destroy ended with exit %d:\n%s", r.exit, r.output)
	instances := fake.Instances()
	must(w.t, len(instances) == 1 && instances[0].ID == "i-one" && len(fake.Webhooks()) == 0, "%d instances and %d endpoints are left", len(instances), len(fake.Webhooks()))
}

// idOf returns the id of the only instance with a name.
func idOf(t *testing.T, fake *fakeservicetest.Server, name string) string {
	t.Helper()
	var ids []string
	for _, instance := range fake.Instances() {
		if instance.Name == name {
			ids = append(ids, instance.ID)
		}
	}
	must(t, len(ids) == 1, "instances that are called %s: got %d, want 1", name, len(ids))
	return ids[0]
}

// strange rewrites an answer like a service that has settled its open questions
// differently. Lists are bare arrays, informational fields have different types, and the
// address of a checkout remains after the checkout is over.
func strange(answer any) any {
	body, ok := answer.(map[string]any)
	if !ok {
		return answer
	}
	for _, collection := range []string{"instances", "apps", "builds", "databases", "extensions", "webhooks", "locations", "backups"} {
		if list, ok := body[collection].([]any); ok && len(body) == 1 {
			for _, record := range list {
				strangeRecord(record.(map[string]any))
			}
			return list
		}
	}
	strangeRecord(body)
	return answer
}

func strangeRecord(record map[string]any) {
	for key, other := range map[string]any{
		"created_at": 1700000000, "finished_at": "", "usage": "low", "monitoring": []any{}, "backups": 3, "activity": map[string]any{},
	} {
		if _, there := record[key]; there {
			record[key] = other
		}
	}
	if progress, ok := record["progress"].(float64); ok {
		record["progress"] = progress + 0.5
	}
	if fault, ok := record["error"].(map[string]any); ok {
		record["error"] = fault["detail"]
	}
	if record["region"] != nil && record["checkout_url"] == nil {
		record["checkout_url"] = "https://portal.example/checkout/done"
	}
}
