package fakeservice_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// anApp returns the event of a change of the app, with more data than its name.
func anApp(more object) object {
	data := object{"app": "web"}
	maps.Copy(data, more)
	return data
}

// Each operation emits its event when its job ends, with the job and the changed values. For
// variables it has only the names, because a value may be a secret. Each event is delivered
// once, as in SERVICE.md#events, and contains no secret.
func TestWhatEventsHold(t *testing.T) {
	t.Parallel()
	b := fakeservicetest.NewInbox(t, "the endpoint's own secret")
	a := start(t, fakeservicetest.Delivering(b))
	a.want(201, "", "POST", "/webhooks", object{"url": "https://hooks.test/", "secret": "the endpoint's own secret"})
	id := a.accepted("POST", "/instances", object{
		"name": "a", "plan": "free", "region": "us-east", "engines": object{"postgres": true, "apps": true, "auth": true},
	}).string("id")
	path := "/instances/" + id
	var backup any
	// known returns what stands for "BACKUP" and "BUILD" in the table.
	known := func(values object) object {
		replaced := maps.Clone(values)
		for name, value := range values {
			switch value {
			case "BACKUP":
				replaced[name] = backup
			case "BUILD":
				replaced[name] = firstBuild(a, path+"/apps/web")["id"]
			}
		}
		return replaced
	}
	check := func(kind string, want object) {
		t.Helper()
		events := a.told("GET", "/events", "")["events"].([]any)
		newest := events[len(events)-1].(object)
		data := maps.Clone(newest["data"].(object))
		if !strings.Contains(kind, "_key_") && !strings.HasPrefix(kind, "oauth_") {
			jobs := a.Jobs()
			equal(t, "the job of "+kind, data["job_id"], any(jobs[len(jobs)-1].ID))
		}
		delete(data, "job_id")
		equal(t, "type", newest["type"], any(kind))
		if diff := cmp.Diff(known(want), data); diff != "" {
			t.Errorf("the data of %s (-want +got):\n%s", kind, diff)
		}
	}
	secrets := []string{"the endpoint's own secret", "a variable that is secret"}
	learn := func() {
		engines := a.want(200, "", "GET", path+"/connection", nil).body["engines"].(object)
		_, rest, _ := strings.Cut(strings.TrimPrefix(engines["postgres"].(object)["owner_url"].(string), "postgresql://"), ":")
		password, _, _ := strings.Cut(rest, "@")
		secrets = append(secrets, engines["auth"].(object)["service_key"].(string), password)
	}
	check("created", object{"name": "a", "plan": "free", "region": "us-east"})
	a.Advance(8 * time.Minute)
	in, _ := a.Instance(id)
	check("ready", object{"host": in.Host})
	learn()
	imported := guestbook()
	for _, step := range []struct {
		kind         string
		want         object
		method, path string
		body         object
	}{
		{"label", object{"name": "b", "tags": []any{}}, "PATCH", "", object{"name": "b"}},
		{"label", object{"name": "b", "tags": []any{"x"}}, "PATCH", "", object{"tags": []string{"x"}}},
		{"allowlist", object{"allowlist": []any{"203.0.113.0/24"}}, "PUT", "/allowlist", object{"allowlist": []string{"203.0.113.7/24"}}},
		{"resize", object{"plan": "small"}, "POST", "/actions/resize", object{"plan": "small"}},
		{"rotate", object{}, "POST", "/actions/rotate", object{}},
		{"reset", object{"engine": nil}, "POST", "/actions/reset", object{"confirm": id}},
		{"reset", object{"engine": "postgres"}, "POST", "/actions/reset", object{"confirm": id, "engine": "postgres"}},
		{"console", object{"mode": "ro"}, "PUT", "/sql-console", object{"mode": "ro"}},
		{
			"engines", object{"engines": object{"postgres": 512.0, "apps": 512.0, "auth": 256.0}},
			"PUT", "/engines", object{"engines": object{"postgres": object{"memory_mb": 512}, "apps": object{}, "auth": object{}}},
		},
		{
			"engine_settings", object{"engine": "auth", "site_url": "https://a.example"},
			"PATCH", "/engines/auth/settings", object{"site_url": "https://a.example"},
		},
		{"engine_settings", object{"engine": "postgres"}, "POST", "/engines/postgres/actions/restart", object{}},
		{"engine_settings", object{"extension": "pgvector", "database": "main"}, "PUT", "/postgres/extensions/pgvector", object{}},
		{"engine_settings", object{"extension": "pgvector", "database": "main"}, "DELETE", "/postgres/extensions/pgvector", nil},
		{"pg_database_created", object{"database": "d"}, "POST", "/postgres/databases", object{"name": "d"}},
		{"pg_database_dropped", object{"database": "d"}, "DELETE", "/postgres/databases/d", nil},
		{
			"engine_settings", anApp(object{"repo": imported["repo"], "branch": imported["branch"], "build_id": "BUILD"}),
			"POST", "/apps/import", imported,
		},
		{
			"engine_settings", anApp(object{"build_id": nil, "links": []any{"auth"}, "port": 4000.0, "public": false, "health_path": "/up", "memory_mb": 512.0}),
			"PATCH", "/apps/web", object{"links": []string{"auth"}, "port": 4000, "public": false, "health_path": "/up", "memory_mb": 512},
		},
		{
			"engine_settings", anApp(object{"build_id": "BUILD", "branch": "next", "env": []any{"A", "TOKEN"}}),
			"PATCH", "/apps/web", object{"branch": "next", "env": object{"TOKEN": "a variable that is secret", "A": ""}},
		},
		{"engine_settings", anApp(object{"build_id": "BUILD"}), "POST", "/apps/web/actions/redeploy", object{}},
		{"engine_settings", anApp(nil), "POST", "/apps/web/actions/restart", object{}},
		{"engine_settings", anApp(nil), "DELETE", "/apps/web", nil},
		{"restore", object{"backup_id": "BACKUP"}, "POST", "/actions/restore", object{"confirm": id, "backup_id": "BACKUP"}},
	} {
		backup = a.call("GET", path+"/backups", nil).body["backups"].([]any)[0].(object)["id"]
		body := any(known(step.body))
		if step.body == nil {
			body = nil
		}
		a.done(step.method, path+step.path, body)
		check(step.kind, step.want)
		a.Advance(5 * time.Minute)
	}
	learn()
	a.FailJobs(fakeservice.JobMatch{}, 1, "c", "d")
	a.done("PATCH", path, object{"name": "c"})
	equal(t, "the event of a job that fails", a.types(id)[len(a.types(id))-1], "job_failed")
	key := must.Get(a.CreateKey("deploys"))(t)
	check("api_key_created", object{"key_id": key.ID, "name": "deploys"})
	must.Do(t, a.RevokeKey(key.ID))
	check("api_key_revoked", object{"key_id": key.ID, "name": "deploys"})
	secrets = append(secrets, key.Key, must.Get(a.GrantOAuth(core.OAuthConsent{ClientID: "client-1"}))(t))
	must.Do(t, a.Disconnect(a.Applications()[0].ID))
	a.Advance(0)

	equal(t, "deliveries", len(b.Deliveries()), len(a.Events()))
	for _, e := range a.Events() {
		came := slices.IndexFunc(b.Deliveries(), func(d signed.Delivery) bool { return d.Event.ID == e.ID })
		if came < 0 {
			t.Errorf("deliveries of the event %s: got none, want one", e.Type)
			continue
		}
		d := b.Deliveries()[came]
		equal(t, "the delivered event", []any{d.Event.Type, d.Event.InstanceID, d.Event.At.UTC()}, []any{e.Type, e.InstanceID, e.At.UTC()})
		for _, secret := range secrets {
			if strings.Contains(string(d.Event.Data), secret) {
				t.Errorf("the data of %s: got %s, want no secret", e.Type, d.Event.Data)
			}
		}
	}
}
