package fakeservice_test

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Accessors return copies: a change of the result does not change the fake.
func TestAccessorsGiveCopies(t *testing.T) {
	t.Parallel()
	a := start(t)
	given := fakeservice.Instance{Tags: []string{"a"}, Engines: map[string]*fakeservice.Engine{"auth": {RedirectURLs: []string{"x://y"}}}}
	id := a.AddInstance(given).ID
	a.AddApp(id, fakeservice.App{Name: "web", Env: map[string]string{"A": "1"}, Links: []string{"auth"}})

	given.Tags[0] = "b"
	got, _ := a.Instance(id)
	got.Tags[0] = "c"
	got.Engines["auth"].MemoryMB = 1
	got.Engines["auth"].RedirectURLs[0] = "z://"
	app, _ := a.App(id, "web")
	app.Env["A"] = "2"
	app.Links[0] = "b"
	var kept *fakeservice.Instance
	a.EditInstance(id, func(in *fakeservice.Instance) { kept = in })
	kept.Tags[0] = "d"

	now, _ := a.Instance(id)
	equal(t, "tag", now.Tags[0], "a")
	equal(t, "budget", now.Engines["auth"].MemoryMB, 256)
	equal(t, "redirect", now.Engines["auth"].RedirectURLs[0], "x://y")
	appNow, _ := a.App(id, "web")
	equal(t, "env", appNow.Env["A"], "1")
	equal(t, "link", appNow.Links[0], "auth")
}

func TestChangesBehindTheClientsBack(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Name, in.ID = "drifted", "ignored" })
	equal(t, "name", a.call("GET", path, nil).string("name"), "drifted")
	a.AddApp(id, fakeservice.App{Name: "web", Public: true})
	a.EditApp(id, "web", func(app *fakeservice.App) { app.Status = fakeservice.StatusStopped })
	equal(t, "app", a.call("GET", path+"/apps/web", nil).string("status"), "stopped")
	a.done("POST", path+"/apps/web/actions/restart", nil)
	equal(t, "app", a.call("GET", path+"/apps/web", nil).string("status"), "running")
	hook := a.call("POST", "/webhooks", newHook).string("id")
	a.AddDatabase(id, "extra")
	a.done("PUT", path+"/postgres/extensions/pgvector", nil)

	release := a.HoldJobs(fakeservice.JobMatch{})
	defer release()
	job := a.accepted("PATCH", path, object{"name": "x"}).string("job_id")
	for what, removed := range map[string]func() bool{
		"app":       func() bool { return a.RemoveApp(id, "web") },
		"database":  func() bool { return a.RemoveDatabase(id, "extra") },
		"extension": func() bool { return a.RemoveExtension(id, "", "pgvector") },
		"webhook":   func() bool { return a.RemoveWebhook(hook) },
	} {
		if !removed() {
			t.Errorf("the removal of the %s: got false, want true", what)
		}
		if removed() {
			t.Errorf("the second removal of the %s: got true, want false", what)
		}
	}
	if !a.RemoveInstance(id) || a.RemoveInstance(id) {
		t.Error("two removals of the instance: got another result than true and then false, want these")
	}
	equal(t, "its job", a.call("GET", "/jobs/"+job, nil).string("status"), "failed")
	for what, n := range a.Left() {
		equal(t, what+" left", n, 0)
	}
	if a.EditInstance(id, func(*fakeservice.Instance) {}) || a.EditApp(id, "web", func(*fakeservice.App) {}) || a.EditWebhook(hook, func(*fakeservice.Webhook) {}) {
		t.Error("edit of a removed instance, app or webhook: got true, want false")
	}
}
