package fakeservice_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An event contains the changed values in addition to the job. For variables it contains
// only the names, because a value may be a secret.
func TestWhatEventsHold(t *testing.T) {
	t.Parallel()
	a := start(t)
	made := a.accepted("POST", "/instances", object{
		"name": "a", "plan": "free", "region": "us-east", "engines": object{"postgres": true, "apps": true, "auth": true},
	})
	id := made.string("id")
	check := func(kind string, want object) {
		t.Helper()
		events := a.told("GET", "/events", "")["events"].([]any)
		newest := events[len(events)-1].(object)
		data := newest["data"].(object)
		delete(data, "job_id") // TestEvents checks it
		equal(t, "type", newest["type"], any(kind))
		if diff := cmp.Diff(want, data); diff != "" {
			t.Errorf("the data of %s (-want +got):\n%s", kind, diff)
		}
	}
	check("created", object{"name": "a", "plan": "free", "region": "us-east"})
	a.Advance(8 * time.Minute)
	in, _ := a.Instance(id)
	check("ready", object{"host": in.Host})

	path := "/instances/" + id
	after := func(kind string, want object, method, at string, body any) {
		t.Helper()
		a.done(method, path+at, body)
		check(kind, want)
	}
	after("label", object{"name": "b", "tags": []any{"x"}}, "PATCH", "", object{"name": "b", "tags": []string{"x"}})
	after("allowlist", object{"allowlist": []any{"203.0.113.0/24"}}, "PUT", "/allowlist", object{"allowlist": []string{"203.0.113.7/24"}})
	after("resize", object{"plan": "small"}, "POST", "/actions/resize", object{"plan": "small"})
	after("rotate", object{}, "POST", "/actions/rotate", nil)
	after("reset", object{"engine": nil}, "POST", "/actions/reset", object{"confirm": id})
	after("reset", object{"engine": "postgres"}, "POST", "/actions/reset", object{"confirm": id, "engine": "postgres"})
	backup := a.want(200, "", "GET", path+"/backups", nil).body["backups"].([]any)[0].(object)["id"]
	after("restore", object{"backup_id": backup}, "POST", "/actions/restore", object{"confirm": id, "backup_id": backup})
	after("console", object{"mode": "ro"}, "PUT", "/sql-console", object{"mode": "ro"})
	after("engines", object{"engines": object{"postgres": 512.0, "apps": 512.0, "auth": 256.0}},
		"PUT", "/engines", object{"engines": object{"postgres": object{"memory_mb": 512}, "apps": object{}, "auth": object{}}})
	after("engine_settings", object{"engine": "auth", "site_url": "https://a.example"}, "PATCH", "/engines/auth/settings", object{"site_url": "https://a.example"})
	after("engine_settings", object{"engine": "postgres"}, "POST", "/engines/postgres/actions/restart", nil)
	after("engine_settings", object{"extension": "pgvector", "database": "main"}, "PUT", "/postgres/extensions/pgvector", nil)
	after("engine_settings", object{"extension": "pgvector", "database": "main"}, "DELETE", "/postgres/extensions/pgvector", nil)
	after("pg_database_created", object{"database": "d"}, "POST", "/postgres/databases", object{"name": "d"})
	after("pg_database_dropped", object{"database": "d"}, "DELETE", "/postgres/databases/d", nil)

	build := func() any {
		builds := a.want(200, "", "GET", path+"/apps/web/builds", nil).body["builds"].([]any)
		return builds[0].(object)["id"]
	}
	imported := guestbook()
	a.done("POST", path+"/apps/import", imported)
	check("engine_settings", object{"app": "web", "repo": imported["repo"], "branch": imported["branch"], "build_id": build()})
	a.Advance(5 * time.Minute)
	after("engine_settings", object{"app": "web", "build_id": nil, "links": []any{"auth"}, "port": 4000.0, "public": false, "health_path": "/up", "memory_mb": 512.0},
		"PATCH", "/apps/web", object{"links": []string{"auth"}, "port": 4000, "public": false, "health_path": "/up", "memory_mb": 512})
	a.done("PATCH", path+"/apps/web", object{"branch": "next", "env": object{"TOKEN": "a secret", "A": ""}})
	check("engine_settings", object{"app": "web", "build_id": build(), "branch": "next", "env": []any{"A", "TOKEN"}})
	a.Advance(5 * time.Minute)
	a.done("POST", path+"/apps/web/actions/redeploy", nil)
	check("engine_settings", object{"app": "web", "build_id": build()})
	after("engine_settings", object{"app": "web"}, "POST", "/apps/web/actions/restart", nil)
	after("engine_settings", object{"app": "web"}, "DELETE", "/apps/web", nil)

	key := must.Get(a.CreateKey("deploys"))(t)
	check("api_key_created", object{"key_id": key.ID, "name": "deploys"})
	must.Do(t, a.RevokeKey(key.ID))
	check("api_key_revoked", object{"key_id": key.ID, "name": "deploys"})
}
