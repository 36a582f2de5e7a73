package fakeservice_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A released job ends immediately, however much of its time is left.
func TestReleaseDoesNotWait(t *testing.T) {
	t.Parallel()
	a := start(t)
	first := a.HoldJobs(fakeservice.JobMatch{})
	second := a.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	id := a.accepted("POST", "/instances", object{"name": "a", "plan": "free", "region": "us-east"}).string("id")
	first()
	equal(t, "still held by the second", a.call("GET", "/instances/"+id, nil).string("status"), "creating")
	second()
	second() // changes nothing
	equal(t, "held by none", a.call("GET", "/instances/"+id, nil).string("status"), "running")
}

// A released creation of a paid plan still waits for its checkout.
func TestReleaseDoesNotPay(t *testing.T) {
	t.Parallel()
	a := start(t)
	release := a.HoldJobs(fakeservice.JobMatch{})
	made := a.accepted("POST", "/instances", object{"name": "a", "plan": "small", "region": "us-east"})
	release()
	equal(t, "job", a.call("GET", "/jobs/"+made.string("job_id"), nil).string("status"), "queued")
}

// A failed job changes nothing.
func TestFailedJobsApplyNothing(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "redis", "apps", "auth")
	path := "/instances/" + id
	if _, ok := a.AddApp(id, fakeservice.App{Name: "web"}); !ok {
		t.Fatal("AddApp: got false, want true")
	}
	a.AddDatabase(id, "extra")
	before := a.call("GET", path, nil).body
	connection := a.call("GET", path+"/connection", nil).text
	backup := newBackup(a, id)

	for _, m := range []struct {
		method, path string
		body         any
	}{
		{"PATCH", path, object{"name": "other", "tags": []string{"x"}}},
		{"PUT", path + "/engines", object{"engines": object{}}},
		{"PUT", path + "/allowlist", object{"allowlist": []string{"192.0.2.1"}}},
		{"PUT", path + "/sql-console", object{"mode": "rw"}},
		{"POST", path + "/actions/rotate", object{}},
		{"POST", path + "/actions/resize", object{"plan": "large"}},
		{"POST", path + "/actions/reset", object{"confirm": id}},
		{"POST", path + "/actions/restore", object{"confirm": id, "backup_id": backup}},
		{"POST", path + "/engines/redis/actions/restart", object{}},
		{"POST", path + "/postgres/databases", object{"name": "more"}},
		{"DELETE", path + "/postgres/databases/extra", nil},
		{"PUT", path + "/postgres/extensions/pgvector", object{}},
		{"PATCH", path + "/engines/auth/settings", object{"site_url": "https://x.example.com"}},
		{"POST", path + "/apps/import", object{"name": "two", "repo": "o/r", "branch": "main", "port": 1}},
		{"PATCH", path + "/apps/web", object{"env": object{"A": "b"}}},
		{"POST", path + "/apps/web/actions/redeploy", object{}},
		{"POST", path + "/apps/web/actions/restart", object{}},
		{"DELETE", path + "/apps/web", nil},
	} {
		a.FailJobs(fakeservice.JobMatch{InstanceID: id}, 1, "broken", "It broke.")
		job := a.done(m.method, m.path, m.body).string("job_id")
		equal(t, m.method+" "+m.path, a.call("GET", "/jobs/"+job, nil).string("status"), "failed")
	}
	after := a.call("GET", path, nil).body
	for _, field := range []string{"activity", "monitoring", "backups"} {
		delete(before, field)
		delete(after, field)
	}
	equal(t, "record", after, before)
	equal(t, "connection record", a.call("GET", path+"/connection", nil).text, connection)
	equal(t, "databases", len(a.Databases(id)), 2)
	equal(t, "extensions", len(a.Extensions(id)), 0)
	apps := a.Apps(id)
	if len(apps) != 1 || len(apps[0].Builds) != 0 || len(apps[0].Env) != 0 {
		t.Errorf("the apps: got %+v, want one without builds and variables", apps)
	}
}

// newBackup adds a backup and returns its id.
func newBackup(a *api, id string) string {
	a.EditInstance(id, func(in *fakeservice.Instance) {
		in.Backups = []fakeservice.Backup{{ID: "bak-1", Kind: "daily", CreatedAt: a.Now()}}
	})
	return "bak-1"
}

func TestFailTimes(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running()
	a.FailJobs(fakeservice.JobMatch{Operation: "update"}, 2, "c", "d")
	var statuses []string
	for range 3 {
		job := a.done("PATCH", "/instances/"+id, object{"name": "n"}).string("job_id")
		statuses = append(statuses, a.call("GET", "/jobs/"+job, nil).string("status"))
	}
	equal(t, "statuses", statuses, []string{"failed", "failed", "done"})
}

// Without requests, a timer ends jobs at their time. Only the log can show this without a
// request.
func TestJobsEndUnasked(t *testing.T) {
	t.Parallel()
	lines := make(lineChannel, 10)
	a := start(t, func(o *fakeservice.Options) {
		o.Speed = 1e4
		o.Logger = slog.New(slog.NewTextHandler(lines, nil))
	})
	must.Get(a.StartJob(a.running(), "update", ""))(t)
	for line := range lines {
		if strings.Contains(line, "job ended") {
			return
		}
	}
}

// lineChannel is a writer that sends each line to a channel.
type lineChannel chan string

func (c lineChannel) Write(line []byte) (int, error) {
	c <- string(line)
	return len(line), nil
}
