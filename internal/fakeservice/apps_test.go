package fakeservice_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// guestbook returns an import request.
func guestbook() object {
	return object{
		"repo": "owner/guestbook", "branch": "main", "name": "web", "port": 3000,
		"health_path": "/healthz", "public": true, "env": object{"NEXT_PUBLIC_A": "b"},
	}
}

// firstBuild returns the newest build of an app.
func firstBuild(a *api, path string) object {
	a.t.Helper()
	builds := a.call("GET", path+"/builds", nil).body["builds"].([]any)
	return builds[0].(object)
}

func TestImportRefused(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	for field, value := range map[string]any{
		"repo": "guestbook", "branch": " ", "name": "Web!", "port": 70000, "health_path": "healthz",
		"env": object{"1A": "x"}, "memory_mb": 511,
	} {
		body := guestbook()
		body[field] = value
		got := a.want(422, "validation_failed", "POST", "/instances/"+id+"/apps/import", body)
		if !strings.HasPrefix(got.string("detail"), field+":") {
			t.Errorf("the detail about %s: got %q, want one that begins with the field", field, got.string("detail"))
		}
	}
	for _, bad := range []string{"", "main~1", "main^{commit}", "-b", "a..b", "a//b", "a/", ".a", "a/.b", "a.lock", "a.lock/b", "a b", "@", "HEAD", "a@{1}", "a.", "a\n", "a\x7f"} {
		body := guestbook()
		body["branch"] = bad
		a.want(422, "validation_failed", "POST", "/instances/"+id+"/apps/import", body)
	}
	for field, bad := range map[string]any{"port": uint64(1 << 63), "health_path": "/up\r\nX: y", "env": object{"A": "b\x00c"}} {
		body := guestbook()
		body[field] = bad
		a.want(422, "validation_failed", "POST", "/instances/"+id+"/apps/import", body)
	}
	a.want(422, "validation_failed", "POST", "/instances/"+a.running("postgres")+"/apps/import", guestbook())

	a.done("POST", "/instances/"+id+"/apps/import", guestbook())
	for field, value := range map[string]any{"links": []string{"auth"}, "port": 0, "memory_mb": 1} {
		got := a.want(422, "validation_failed", "PATCH", "/instances/"+id+"/apps/web", object{field: value})
		if !strings.HasPrefix(got.string("detail"), field+":") {
			t.Errorf("the detail about %s: got %q, want one that begins with the field", field, got.string("detail"))
		}
	}
}

func TestWhatQueuesABuild(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id + "/apps/web"
	a.AddApp(id, fakeservice.App{Name: "web", Env: map[string]string{"A": "1"}})
	for _, row := range []struct {
		change object
		builds bool
	}{
		{object{"branch": "next"}, true},
		{object{"branch": "next"}, false},
		{object{"env": object{"A": "2"}}, true},
		{object{"env": object{"A": "2"}}, false},
		{object{"port": 4000, "health_path": "/up", "public": true, "memory_mb": 600}, false},
		{object{"links": []string{}}, false},
		{object{}, false},
	} {
		got := a.done("PATCH", path, row.change)
		if queued := got.body["build_id"] != nil; queued != row.builds {
			t.Errorf("a build after %v: got %t, want %t", row.change, queued, row.builds)
		}
	}
	got := a.done("POST", path+"/actions/redeploy", object{})
	equal(t, "build of a redeploy", firstBuild(a, path)["id"], got.body["build_id"])
	a.done("POST", path+"/actions/restart", nil)
	equal(t, "builds", len(a.Apps(id)[0].Builds), 3)
}

// An app builds one commit at a time, and later builds take less time.
func TestBuildsQueue(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id + "/apps/web"
	a.done("POST", "/instances/"+id+"/apps/import", guestbook())
	a.done("POST", path+"/actions/redeploy", nil)
	equal(t, "the second", firstBuild(a, path)["status"], any("queued"))
	equal(t, "its commit", firstBuild(a, path)["commit"], nil)
	commit := a.Push("owner/guestbook", "main")
	a.Advance(180 * time.Second)
	equal(t, "the second", firstBuild(a, path)["status"], any("running"))
	equal(t, "its commit", firstBuild(a, path)["commit"], any(commit))
	a.Advance(120 * time.Second)
	equal(t, "the second", firstBuild(a, path)["status"], any("successful"))
	builds := a.Apps(id)[0].Builds
	equal(t, "length of the first", builds[1].FinishedAt.Sub(builds[1].StartedAt), 180*time.Second)
	equal(t, "length of the second", builds[0].FinishedAt.Sub(builds[0].StartedAt), 120*time.Second)
	if builds[0].Commit == builds[1].Commit {
		t.Errorf("the commit after a push: got %q as before, want another one", builds[0].Commit)
	}
}

func TestFailedBuilds(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id + "/apps/web"
	a.FailBuilds(fakeservice.BuildMatch{App: "web"}, 1, "npm: not found")
	a.done("POST", "/instances/"+id+"/apps/import", guestbook())
	a.Advance(180 * time.Second)
	equal(t, "error", firstBuild(a, path)["error"], any("npm: not found"))
	equal(t, "status of an app that never ran", a.call("GET", path, nil).string("status"), "failed")

	a.done("POST", path+"/actions/redeploy", nil)
	equal(t, "status while it is tried again", a.call("GET", path, nil).string("status"), "building")
	a.Advance(120 * time.Second)
	url := a.call("GET", path, nil).string("url")

	// After a failed build, the running version stays.
	a.FailBuilds(fakeservice.BuildMatch{}, 1, "out of memory")
	a.done("POST", path+"/actions/redeploy", nil)
	a.Advance(120 * time.Second)
	equal(t, "status of the build", firstBuild(a, path)["status"], any("failed"))
	app := a.call("GET", path, nil)
	equal(t, "status", app.string("status"), "running")
	equal(t, "url", app.string("url"), url)
}

// A deployed app that does not run shows the reason until it runs again.
func TestAppsThatFailToStart(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id + "/apps/web"
	failure := func() any { return a.call("GET", path, nil).body["failure"] }
	a.FailBuilds(fakeservice.BuildMatch{App: "web"}, 1, "npm: not found")
	a.done("POST", "/instances/"+id+"/apps/import", guestbook())
	a.Advance(180 * time.Second)
	equal(t, "status after a failed build", a.call("GET", path, nil).string("status"), "failed")
	equal(t, "failure of an app that was never deployed", failure(), nil)

	a.FailStarts(fakeservice.AppMatch{App: "other"}, -1, fakeservice.AppFailure{})
	a.FailStarts(fakeservice.AppMatch{InstanceID: id, App: "web"}, 2, fakeservice.AppFailure{Status: 503, Log: "no table"})
	a.done("POST", path+"/actions/redeploy", nil)
	a.Advance(120 * time.Second)
	equal(t, "status of the build", firstBuild(a, path)["status"], any("successful"))
	equal(t, "status", a.call("GET", path, nil).string("status"), "failed")
	equal(t, "failure", failure(), any(object{"status": 503.0, "exited": false, "log": "no table"}))
	a.done("POST", path+"/actions/restart", nil)
	equal(t, "status after a restart", a.call("GET", path, nil).string("status"), "failed")
	a.done("PATCH", path, object{"port": 8080})
	equal(t, "status after a change", a.call("GET", path, nil).string("status"), "running")
	equal(t, "failure of an app that runs", failure(), nil)

	remove := a.FailStarts(fakeservice.AppMatch{}, -1, fakeservice.AppFailure{Exited: true})
	a.done("PATCH", path, object{"port": 8081})
	equal(t, "failure without an answer", failure(), any(object{"status": nil, "exited": true, "log": ""}))
	remove()
	a.done("POST", path+"/actions/restart", nil)
	equal(t, "status in the end", a.call("GET", path, nil).string("status"), "running")
}

// The apps of an instance must together fit the budget of its apps engine: at an import,
// at a change of an app, and at a change of the engines.
func TestAppsFitTheirEngine(t *testing.T) {
	t.Parallel()
	a := start(t)
	path := "/instances/" + a.AddInstance(fakeservice.Instance{Plan: "small", Engines: map[string]*fakeservice.Engine{"apps": {MemoryMB: 1280}}}).ID
	refused := func(field, method, path string, body object) {
		t.Helper()
		if got := a.want(422, "validation_failed", method, path, body); !strings.HasPrefix(got.string("detail"), field+":") {
			t.Errorf("the detail about %s: got %q, want one that begins with the field", field, got.string("detail"))
		}
	}
	app := guestbook()
	app["memory_mb"] = 1281
	refused("memory_mb", "POST", path+"/apps/import", app)
	app["memory_mb"] = 768
	a.done("POST", path+"/apps/import", app)
	second := guestbook()
	second["name"], second["memory_mb"] = "second", 513
	refused("memory_mb", "POST", path+"/apps/import", second)
	delete(second, "memory_mb") // the default is 512 MB
	a.done("POST", path+"/apps/import", second)
	refused("memory_mb", "PATCH", path+"/apps/web", object{"memory_mb": 769})
	a.done("PATCH", path+"/apps/web", object{"memory_mb": 700})
	a.done("PATCH", path+"/apps/web", object{"memory_mb": 768, "port": 4000})
	refused("engines", "PUT", path+"/engines", object{"engines": object{"apps": object{"memory_mb": 1279}}})
	refused("engines", "PUT", path+"/engines", object{"engines": object{"apps": object{}}})
	a.done("PUT", path+"/engines", object{"engines": object{"apps": object{"memory_mb": 1536}}})
	a.done("PATCH", path+"/apps/web", object{"memory_mb": 1024})
	equal(t, "memory", a.call("GET", path+"/apps/web", nil).body["memory_mb"], any(1024.0))

	// If the apps already exceed the budget, they may be made smaller, and other settings
	// may change.
	id := strings.TrimPrefix(path, "/instances/")
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Engines["apps"].MemoryMB = 512 })
	a.done("PATCH", path+"/apps/web", object{"memory_mb": 1000})
	a.done("PATCH", path+"/apps/web", object{"memory_mb": 1000, "port": 5000})
	refused("memory_mb", "PATCH", path+"/apps/web", object{"memory_mb": 1001})
	a.done("PUT", path+"/engines", object{"engines": object{"apps": object{"memory_mb": 512}, "redis": object{}}})
}

// The list of builds is paged, the newest first. The next page continues at the same
// place even if builds were added in between.
func TestBuildsArePaged(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	a.AddApp(id, fakeservice.App{Name: "web"})
	a.EditApp(id, "web", func(app *fakeservice.App) { app.Builds = nil })
	path := "/instances/" + id + "/apps/web/builds"
	var want, got []string
	add := func(build string) {
		a.EditApp(id, "web", func(app *fakeservice.App) {
			app.Builds = append([]fakeservice.Build{{ID: build, Status: "successful"}}, app.Builds...)
		})
	}
	for n := range 7 {
		add(fmt.Sprint("b-", n))
		want = append([]string{fmt.Sprint("b-", n)}, want...)
	}
	for cursor := ""; ; {
		page := a.call("GET", path+"?limit=3&cursor="+cursor, nil)
		for _, build := range page.body["builds"].([]any) {
			got = append(got, build.(object)["id"].(string))
		}
		if cursor = page.string("next_cursor"); cursor == "" {
			break
		}
		add("b-new-" + cursor)
	}
	equal(t, "ids of all pages", got, want)
	for _, query := range []string{"limit=0", "limit=201", "cursor=nonsense", "cursor=YWZ0ZXI6LTU"} { // after:-5
		a.want(400, "invalid_request", "GET", path+"?"+query, nil)
	}
}

// If several variables have invalid names, the refusal always names the same one.
func TestVariablesAreRefusedInOrder(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("apps")
	wrong := guestbook()
	wrong["env"] = object{"1": "", "2": "", "3": "", "4": "", "5": ""}
	for range 10 {
		got := a.want(422, "validation_failed", "POST", "/instances/"+id+"/apps/import", wrong)
		equal(t, "detail", got.string("detail"), `env: "1" is not a name of a variable`)
	}
}
