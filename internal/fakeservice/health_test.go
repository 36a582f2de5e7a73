package fakeservice_test

import (
	"slices"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// types returns the types of all events about an instance, in order.
func (a *api) types(id string) []string {
	var types []string
	for _, e := range a.Events() {
		if e.InstanceID == id {
			types = append(types, e.Type)
		}
	}
	return types
}

// A deployed app that does not run makes its instance unhealthy. Each change of the
// health is emitted once.
func TestHealth(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	a.AddApp(id, fakeservice.App{Name: "web"})
	a.AddApp(id, fakeservice.App{Name: "shop"})
	a.FailStarts(fakeservice.AppMatch{}, 2, fakeservice.AppFailure{Exited: true})
	a.play("/instances/"+id, `
		GET . => 200 | monitoring/healthy=true
		POST /apps/web/actions/restart {} => done
		GET . => 200 | monitoring/healthy=false
		POST /apps/shop/actions/restart {} => done
		GET . => 200 | monitoring/healthy=false
		POST /apps/web/actions/restart {} => done
		GET . => 200 | monitoring/healthy=false
		DELETE /apps/shop => done
		GET . => 200 | monitoring/healthy=true
	`)
	told := slices.DeleteFunc(a.types(id), func(kind string) bool { return kind != "health_alert" && kind != "health_reset" })
	equal(t, "events", told, []string{"health_alert", "health_reset"})
}

// No app is built that is being deleted or whose engine is being turned off.
func TestBuildsEndFirst(t *testing.T) {
	t.Parallel()
	for what, request := range map[string]struct {
		method, path string
		body         any
	}{
		"the deletion of the app":      {"DELETE", "/apps/web", nil},
		"turning the apps engine off":  {"PUT", "/engines", object{"engines": object{"postgres": object{}}}},
		"the deletion of the instance": {"DELETE", "?confirm=", nil},
	} {
		a := start(t)
		id := a.running("postgres", "apps")
		a.AddApp(id, fakeservice.App{Name: "web"})
		a.HoldBuilds(fakeservice.BuildMatch{})
		a.done("POST", "/instances/"+id+"/apps/web/actions/redeploy", object{})
		path := request.path
		if path == "?confirm=" {
			path += id
		}
		a.accepted(request.method, "/instances/"+id+path, request.body)
		app, _ := a.App(id, "web")
		if b := app.Builds[0]; b.Status != "failed" || b.Error == "" || a.Left()["builds"] != 0 {
			t.Errorf("%s: got the build %+v and %d builds in progress, want it failed with an error and none", what, b, a.Left()["builds"])
		}
		a.Advance(time.Hour)
	}
}
