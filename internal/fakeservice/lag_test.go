package fakeservice_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// lag is the lag of reads in these tests.
const lag = 10 * time.Second

// Each row makes a change and reads it. The read shows the old value until the lag has
// passed, and then the change.
func TestReadsThatLag(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		change func(a *api, id string)
		path   string // below the instance, or below the root with the prefix root:
		field  string
		before any // an int is the status of an error; something is any value
		after  any
	}{
		{"name", func(a *api, id string) { a.done("PATCH", "/instances/"+id, object{"name": "new"}) }, "", "name", "box", "new"},
		{"allowlist", func(a *api, id string) {
			a.done("PUT", "/instances/"+id+"/allowlist", object{"allowlist": []string{"203.0.113.7"}})
		}, "/allowlist", "allowlist", []any{}, []any{"203.0.113.7"}},
		{"console mode", func(a *api, id string) { a.done("PUT", "/instances/"+id+"/sql-console", object{"mode": "rw"}) }, "/sql-console", "mode", "off", "rw"},
		{"auth settings", func(a *api, id string) {
			a.done("PATCH", "/instances/"+id+"/engines/auth/settings", object{"site_url": "https://new.example.com"})
		}, "/engines/auth/settings", "site_url", "", "https://new.example.com"},
		{"engines", func(a *api, id string) {
			a.done("PUT", "/instances/"+id+"/engines", object{"engines": object{}})
		}, "/connection", "engines/redis", something{}, nil},
		{"job in the record", func(a *api, id string) {
			a.HoldJobs(fakeservice.JobMatch{})
			a.accepted("PATCH", "/instances/"+id, object{"name": "new"})
		}, "", "job_id", nil, something{}},
		{"deleted instance", func(a *api, id string) { a.done("DELETE", "/instances/"+id+"?confirm="+id, nil) }, "", "name", "box", 404},
		{"list", func(a *api, _ string) { a.accepted("POST", "/instances", made) }, "root:/instances", "instances/1/name", nil, "box"},
		{"database", func(a *api, id string) {
			a.done("POST", "/instances/"+id+"/postgres/databases", object{"name": "extra"})
		}, "/postgres/databases", "databases/1/name", nil, "extra"},
		{"extension", func(a *api, id string) {
			a.done("PUT", "/instances/"+id+"/postgres/extensions/pgvector", object{})
		}, "/postgres/extensions", "extensions/0/name", nil, "pgvector"},
		{"app", func(a *api, id string) { a.done("POST", "/instances/"+id+"/apps/import", guestbook()) }, "/apps/web", "name", 404, "web"},
		{"apps", func(a *api, id string) { a.done("POST", "/instances/"+id+"/apps/import", guestbook()) }, "/apps", "apps/1/name", nil, "web"},
		{"app's memory", func(a *api, id string) { a.done("PATCH", "/instances/"+id+"/apps/shop", object{"memory_mb": 600}) }, "/apps/shop", "memory_mb", 512.0, 600.0},
		{"app's variable", func(a *api, id string) {
			a.done("PATCH", "/instances/"+id+"/apps/shop", object{"env": object{"A": "new"}})
		}, "/apps/shop", "env/A", "old", "new"},
		{"build", func(a *api, id string) { a.done("POST", "/instances/"+id+"/apps/shop/actions/redeploy", nil) }, "/apps/shop/builds", "builds/0/status", nil, "running"},
		{"backup", func(a *api, id string) {
			a.done("POST", "/instances/"+id+"/actions/reset", object{"confirm": id})
		}, "/backups", "backups/0/kind", nil, "undo"},
		{"password", func(a *api, id string) { a.done("POST", "/instances/"+id+"/actions/rotate", nil) }, "/connection", "engines/redis/url", something{}, something{}},
		{"webhook", func(a *api, _ string) { a.want(201, "", "POST", "/webhooks", newHook) }, "root:/webhooks", "webhooks/0/url", nil, newHook["url"]},
		{"profile", func(a *api, _ string) { a.want(200, "", "PATCH", "/me", object{"name": "New"}) }, "root:/me", "name", "Fake Customer", "New"},
		{"billing", func(a *api, _ string) { a.accepted("POST", "/instances", made) }, "root:/billing", "subscriptions/1/status", nil, "active"},
		{"plans", func(a *api, _ string) {
			a.EditCatalog(func(c *fakeservice.Catalog) { c.Plans = c.Plans[1:] })
		}, "root:/plans", "plans/0/id", "free", "small"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			inMemory(t, func(t *testing.T, a *api) {
				id := a.running("postgres", "redis", "apps", "auth")
				a.AddApp(id, fakeservice.App{Name: "shop", Env: map[string]string{"A": "old"}})
				path, fromRoot := strings.CutPrefix(row.path, "root:")
				if !fromRoot {
					path = "/instances/" + id + path
				}
				time.Sleep(time.Second)
				a.SetConditions(fakeservice.Conditions{Lag: lag})
				time.Sleep(time.Second)
				read := func() any { return at(a.call("GET", path, nil), row.field) }
				first := read()
				agrees(t, "before the change", first, row.before)
				row.change(a, id)
				equal(t, "at once", read(), first)
				time.Sleep(lag - time.Millisecond)
				equal(t, "just before", read(), first)
				time.Sleep(2 * time.Millisecond)
				agrees(t, "after the lag", read(), row.after)
				if cmp.Equal(read(), first) {
					t.Error("the change was never seen")
				}
			})
		})
	}
}

// at returns a field of an answer, or the status of an error. The field is a path of
// names and indexes.
func at(got answer, field string) any {
	if got.status >= 400 {
		return got.status
	}
	found := any(got.body)
	for _, step := range strings.Split(field, "/") {
		switch inside := found.(type) {
		case object:
			found = inside[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(inside) {
				return nil
			}
			found = inside[n]
		default:
			return nil
		}
	}
	return found
}

// something matches any value.
type something struct{}

func agrees(t *testing.T, what string, have, want any) {
	t.Helper()
	if want != any(something{}) {
		equal(t, what, have, want)
	} else if have == nil {
		t.Errorf("%s: got nothing, want something", what)
	}
}

// While reads lag, a new instance and its job are not found. Mutations find the instance
// anyway.
func TestFreshInstanceThatLags(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		a.SetConditions(fakeservice.Conditions{Lag: lag})
		got := a.accepted("POST", "/instances", made)
		path := "/instances/" + got.string("id")
		absent := `
			GET ` + path + ` => 404 not_found
			GET /jobs/` + got.string("job_id") + ` => 404 not_found
			GET /instances => 200 | instances=[]
			PATCH ` + path + ` {"name":"new"} => 409 job_running
		`
		a.play("", absent)
		time.Sleep(lag - time.Millisecond)
		a.play("", absent)
		time.Sleep(2 * time.Millisecond)
		a.play("", `
			GET `+path+` => 200 | status="creating"
			GET /instances => 200 | instances#=1
			fake PUT /conditions {} => 200
			GET `+path+` => 200 | status="creating"
		`)
	})
}

// A lagging read shows the job's status and progress at the past time. The progress
// increases even between two changes.
func TestJobThatLags(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		id := a.running("postgres")
		a.SetDuration("update", 100*time.Second)
		job := a.accepted("PATCH", "/instances/"+id, object{"name": "new"}).string("job_id")
		a.SetConditions(fakeservice.Conditions{Lag: lag})
		for _, row := range []struct {
			until, status string
			progress      float64
		}{
			{"30s", "running", 20}, {"60s", "running", 50}, {"101s", "running", 91}, {"109s", "running", 99}, {"111s", "done", 100},
		} {
			until := must.Get(time.ParseDuration(row.until))(t)
			time.Sleep(a.Jobs()[0].CreatedAt.Add(until).Sub(a.Now()))
			got := a.want(200, "", "GET", "/jobs/"+job, nil)
			equal(t, "after "+row.until, []any{got.string("status"), got.body["progress"]}, []any{row.status, row.progress})
		}
	})
}

// After the clock is advanced, reads still lag in real time.
func TestLagAndAdvance(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		id := a.accepted("POST", "/instances", made).string("id")
		a.SetConditions(fakeservice.Conditions{Lag: lag})
		a.Advance(time.Hour)
		equal(t, "record", a.Instances()[0].Status, "running")
		equal(t, "read at once", a.call("GET", "/instances/"+id, nil).string("status"), "creating")
		time.Sleep(lag + time.Millisecond)
		equal(t, "read later", a.call("GET", "/instances/"+id, nil).string("status"), "running")
	})
}

// The certificate of a CA that is first read in the past is the same as the current one.
func TestAuthorityThatLags(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, a *api) {
		id := a.running("postgres")
		a.SetConditions(fakeservice.Conditions{Lag: lag})
		read := func() string {
			return a.want(200, "", "GET", "/instances/"+id+"/connection", nil).string("ca_certificate")
		}
		then := read()
		a.SetConditions(fakeservice.Conditions{})
		equal(t, "certificate", read(), then)
	})
}
