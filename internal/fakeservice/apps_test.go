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
	path := "/instances/" + id + "/apps/"
	a.play(path, `
		POST import {"repo":"owner/guestbook","branch":"main","name":"web","port":3000} => done
		POST web/actions/redeploy => done
		GET web/builds => 200 | builds/0/status="queued" | builds/0/commit=null
	`)
	commit := a.Push("owner/guestbook", "main")
	a.play(path, `
		advance 180s
		GET web/builds => 200 | builds/0/status="running" | builds/0/commit="`+commit+`"
		advance 120s
		GET web/builds => 200 | builds/0/status="successful"
	`)
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
	path := "/instances/" + a.running("postgres", "apps") + "/apps/"
	a.FailBuilds(fakeservice.BuildMatch{App: "web"}, 1, "npm: not found")
	a.play(path, `
		POST import {"repo":"owner/guestbook","branch":"main","name":"web","port":3000,"public":true} => done
		advance 3m
		GET web/builds => 200 | builds/0/error="npm: not found"
		GET web => 200 | status="failed"
		POST web/actions/redeploy => done
		GET web => 200 | status="building"
		advance 2m
		GET web => 200 | status="running"
	`)
	// After a failed build, the running version stays.
	a.FailBuilds(fakeservice.BuildMatch{}, 1, "out of memory")
	a.play(path, `
		POST web/actions/redeploy => done
		advance 2m
		GET web/builds => 200 | builds/0/status="failed"
		GET web => 200 | status="running" | url~https://
	`)
}

// A deployed app that does not run shows the reason until it runs again.
func TestAppsThatFailToStart(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	path := "/instances/" + id + "/apps/"
	a.FailBuilds(fakeservice.BuildMatch{App: "web"}, 1, "npm: not found")
	a.FailStarts(fakeservice.AppMatch{App: "other"}, -1, fakeservice.AppFailure{})
	a.FailStarts(fakeservice.AppMatch{InstanceID: id, App: "web"}, 2, fakeservice.AppFailure{Status: 503, Log: "no table"})
	a.play(path, `
		POST import {"repo":"owner/guestbook","branch":"main","name":"web","port":3000} => done
		advance 3m
		GET web => 200 | status="failed" | failure=null
		POST web/actions/redeploy => done
		advance 2m
		GET web/builds => 200 | builds/0/status="successful"
		GET web => 200 | status="failed" | failure={"status":503,"exited":false,"log":"no table"}
		POST web/actions/restart => done
		GET web => 200 | status="failed"
		PATCH web {"port":8080} => done
		GET web => 200 | status="running" | failure=null
	`)
	remove := a.FailStarts(fakeservice.AppMatch{}, -1, fakeservice.AppFailure{Exited: true})
	a.play(path, `
		PATCH web {"port":8081} => done
		GET web => 200 | failure={"status":null,"exited":true,"log":""}
	`)
	remove()
	a.play(path, `
		POST web/actions/restart => done
		GET web => 200 | status="running"
	`)
}

// The apps of an instance must together fit the budget of its apps engine: at an import,
// at a change of an app, and at a change of the engines.
func TestAppsFitTheirEngine(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.AddInstance(fakeservice.Instance{Plan: "small", Engines: map[string]*fakeservice.Engine{"apps": {MemoryMB: 1280}}}).ID
	// The default is 512 MB.
	a.play("/instances/"+id, `
		POST /apps/import {"repo":"o/web","branch":"main","name":"web","port":3000,"memory_mb":1281} => 422 validation_failed | detail~memory_mb:
		POST /apps/import {"repo":"o/web","branch":"main","name":"web","port":3000,"memory_mb":768} => done
		POST /apps/import {"repo":"o/web","branch":"main","name":"second","port":3000,"memory_mb":513} => 422 validation_failed | detail~memory_mb:
		POST /apps/import {"repo":"o/web","branch":"main","name":"second","port":3000} => done
		PATCH /apps/web {"memory_mb":769} => 422 validation_failed | detail~memory_mb:
		PATCH /apps/web {"memory_mb":700} => done
		PATCH /apps/web {"memory_mb":768,"port":4000} => done
		PUT /engines {"engines":{"apps":{"memory_mb":1279}}} => 422 validation_failed | detail~engines:
		PUT /engines {"engines":{"apps":{}}} => 422 validation_failed | detail~engines:
		PUT /engines {"engines":{"apps":{"memory_mb":1536}}} => done
		PATCH /apps/web {"memory_mb":1024} => done
		GET /apps/web => 200 | memory_mb=1024
	`)
	// If the apps already exceed the budget, they may be made smaller, and other settings
	// may change.
	a.EditInstance(id, func(in *fakeservice.Instance) { in.Engines["apps"].MemoryMB = 512 })
	a.play("/instances/"+id, `
		PATCH /apps/web {"memory_mb":1000} => done
		PATCH /apps/web {"memory_mb":1000,"port":5000} => done
		PATCH /apps/web {"memory_mb":1001} => 422 validation_failed | detail~memory_mb:
		PUT /engines {"engines":{"apps":{"memory_mb":512},"redis":{}}} => done
	`)
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
