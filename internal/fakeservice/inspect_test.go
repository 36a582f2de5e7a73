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
