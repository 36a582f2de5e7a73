package dataplane_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Every type of event has a cause in the service itself: the operation, the client of an
// engine or the app that the type is named after.
func TestEveryEventTypeHasACause(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	b := &box{fake: start(t, withRepositories(t), func(o *dataplane.Options) { o.Patience = 3 * time.Second })}
	var caused []string
	for _, row := range causes {
		caused = append(caused, row.kind)
		if !t.Run(row.kind, func(t *testing.T) { b.causes(t, row.kind, row.cause) }) {
			return // later causes build on it
		}
	}
	want := slices.Clone(core.EventTypes)
	slices.Sort(want)
	slices.Sort(caused)
	if !slices.Equal(caused, want) {
		t.Errorf("the types with a cause: got %q, want %q", caused, want)
	}
}

// causes waits for an event of a type after its cause. The event is about the instance, or
// about the account if its type is.
func (b *box) causes(t *testing.T, kind string, cause func(*box)) {
	t.Helper()
	b.t = t
	before := len(b.Events())
	cause(b)
	about := b.id
	if strings.HasPrefix(kind, "api_key_") || strings.HasPrefix(kind, "oauth_") {
		about = ""
	}
	machine.Until(t, "an event "+kind, func() bool {
		return slices.ContainsFunc(b.Events()[before:], func(e fakeservice.Event) bool { return e.Type == kind && e.InstanceID == about })
	})
}

// causes has a cause of each type of event. A cause finds what the earlier ones left: the
// first creates the instance, and a deletion deletes what was created before.
var causes = []struct {
	kind  string
	cause func(*box)
}{
	{"created", func(b *box) {
		_, made := b.call("POST", "/instances", object{"name": "box", "plan": "free", "region": "eu-central"})
		b.id, _ = made["id"].(string)
		b.path = "/instances/" + b.id
	}},
	{"ready", func(b *box) { must.Do(b.t, b.FinishJob(b.Jobs()[0].ID)) }},
	{"resize", func(b *box) { b.done("POST", b.path+"/actions/resize", object{"plan": "medium"}) }},
	{"engines", func(b *box) {
		b.engines(object{"postgres": object{}, "redis": object{}, "nats": object{}, "couchdb": object{}, "apps": object{}, "auth": object{}})
	}},
	{"engine_settings", func(b *box) { b.done("POST", b.path+"/engines/redis/actions/restart", object{}) }},
	{"allowlist", func(b *box) { b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"127.0.0.0/8"}}) }},
	{"label", func(b *box) { b.done("PATCH", b.path, object{"name": "renamed"}) }},
	{"rotate", func(b *box) { b.done("POST", b.path+"/actions/rotate", object{}) }},
	{"console", func(b *box) { b.done("PUT", b.path+"/sql-console", object{"mode": "rw"}) }},
	{"reset", func(b *box) { b.done("POST", b.path+"/actions/reset", object{"confirm": b.id}) }},
	{"restore", func(b *box) {
		b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": b.backups()[0].ID})
	}},
	{"job_failed", func(b *box) {
		b.FailJobs(fakeservice.JobMatch{}, 1, "no_capacity", "No machine is free.")
		b.job("POST", b.path+"/actions/rotate", object{})
	}},

	{"verify_ok", func(b *box) { b.importApp("octo/app", object{}) }},
	{"health_alert", func(b *box) {
		// On a busy machine the app may have failed before its first answer.
		machine.Until(b.t, "the instance is healthy", func() bool {
			_, record := b.call("GET", b.path, nil)
			return record["monitoring"].(object)["healthy"] == true
		})
		b.askApp("/sicken")
	}},
	{"verify_failed", func(b *box) { b.Advance(24 * time.Hour) }},
	{"health_reset", func(b *box) {
		// The alert may be an earlier one, of an app that started slowly. An app that is
		// healed before it has failed is not verified again.
		machine.Until(b.t, "the app has failed", func() bool {
			a, _ := b.App(b.id, "web")
			return a.Status == core.StatusFailed
		})
		b.askApp("/heal")
	}},

	{"pg_database_created", func(b *box) { b.done("POST", b.path+"/postgres/databases", object{"name": "shop"}) }},
	{"pg_database_dropped", func(b *box) { b.done("DELETE", b.path+"/postgres/databases/shop", nil) }},
	{"couch_database_created", func(b *box) {
		needsCouchDB(b.t)
		b.couch().do("PUT", "/db", "", http.StatusCreated)
	}},
	{"couch_database_deleted", func(b *box) {
		needsCouchDB(b.t)
		b.couch().do("DELETE", "/db", "", http.StatusOK)
	}},
	{"nats_stream_created", func(b *box) { b.stream("orders", 1) }},
	{"nats_stream_purged", func(b *box) {
		stream := must.Get(b.streams().Stream(b.t.Context(), "orders"))(b.t)
		must.Do(b.t, stream.Purge(b.t.Context()))
	}},
	{"nats_stream_deleted", func(b *box) { must.Do(b.t, b.streams().DeleteStream(b.t.Context(), "orders")) }},

	{"auth_user_created", func(b *box) { b.users("POST", "/signup", account) }},
	{"auth_link_sent", func(b *box) {
		b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": "https://app.example"})
		b.users("POST", "/recover", account)
	}},
	{"auth_user_banned", func(b *box) { b.users("PUT", b.user(), object{"ban_duration": "24h"}) }},
	{"auth_user_unbanned", func(b *box) { b.users("PUT", b.user(), object{"ban_duration": "none"}) }},
	{"auth_user_deleted", func(b *box) { b.users("DELETE", b.user(), object{}) }},
	{"auth_user_invited", func(b *box) { b.users("POST", "/invite", account) }},

	{"api_key_created", func(b *box) { b.access().Submit("key", map[string]string{"name": "deploys"}) }},
	{"api_key_revoked", func(b *box) {
		keys := b.Keys()
		b.access().Submit("revoke-"+keys[len(keys)-1].ID, nil)
	}},
	{"oauth_granted", (*box).consent},
	{"oauth_disconnected", func(b *box) { b.access().Submit("disconnect-"+b.Applications()[0].ID, nil) }},
}

// askApp requests a page of the app, which answers even if its health path does not.
func (b *box) askApp(path string) {
	b.t.Helper()
	a, _ := b.App(b.id, "web")
	mustAsk(b.t, a.URL, path)
}

// users sends a request with the service key to the auth engine, which must accept it.
func (b *box) users(method, path string, body object) object {
	b.t.Helper()
	record := b.auth()
	status, answer := record.send(b.t, record.ServiceKey, method, path, body)
	if status != http.StatusOK {
		b.t.Fatalf("%s %s of the auth engine: got %d %v, want 200", method, path, status, answer)
	}
	return answer
}

// user returns the path of the auth engine's only account.
func (b *box) user() string {
	b.t.Helper()
	return "/admin/users/" + b.users("GET", "/admin/users", nil)["users"].([]any)[0].(object)["id"].(string)
}

// access opens the Access page of the portal.
func (b *box) access() *fakeservicetest.Page {
	b.t.Helper()
	return fakeservicetest.SignIn(b.t, b.Server).Open("/portal/access")
}

// consent grants an application access to the account.
func (b *box) consent() {
	b.t.Helper()
	application := httptest.NewServer(http.NotFoundHandler())
	defer application.Close()
	client := must.Get(b.RegisterClient("Agent", []string{application.URL}))(b.t)
	request := url.Values{
		"client_id": {client.ID}, "redirect_uri": {application.URL}, "response_type": {"code"}, "resource": {b.MCPURL},
		"code_challenge": {strings.Repeat("A", 43)}, "code_challenge_method": {"S256"},
	}
	fakeservicetest.SignIn(b.t, b.Server).Open("/portal/authorize?"+request.Encode()).Submit("allow", nil)
}
