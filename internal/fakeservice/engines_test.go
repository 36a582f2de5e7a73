package fakeservice_test

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestEngines(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps", "auth")
	path := "/instances/" + id
	a.AddApp(id, fakeservice.App{Name: "web", Links: []string{"auth"}})
	a.AddDatabase(id, "extra")
	a.done("PUT", path+"/sql-console", object{"mode": "rw"})
	a.done("PATCH", path+"/engines/auth/settings", object{"site_url": "https://x.example.com"})

	a.done("PUT", path+"/engines", object{"engines": object{"postgres": object{"memory_mb": 1024}, "redis": object{}, "apps": object{}}})
	engines := a.call("GET", path, nil).body["engines"].(object)
	equal(t, "engines", len(engines), 3)
	equal(t, "budget", engines["postgres"].(object)["memory_mb"], 1024.0)
	equal(t, "port", engines["postgres"].(object)["port"], 5432.0)
	equal(t, "floor of redis", engines["redis"].(object)["memory_mb"], 64.0)
	equal(t, "databases of an engine that stays", len(a.Databases(id)), 2)
	equal(t, "links to an engine that went", len(a.Apps(id)[0].Links), 0)
	a.want(404, "not_found", "GET", path+"/engines/auth/settings", nil)

	// Engines that the request omits are turned off with their data.
	a.done("PUT", path+"/engines", object{"engines": object{}})
	equal(t, "apps", len(a.Apps(id)), 0)
	equal(t, "databases", len(a.Databases(id)), 0)
	equal(t, "console", a.call("GET", path+"/sql-console", nil).string("mode"), "off")
	a.want(422, "validation_failed", "GET", path+"/postgres/databases", nil)
	a.done("PUT", path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}})
	equal(t, "databases of a new engine", len(a.Databases(id)), 1)
	equal(t, "settings of a new engine", a.call("GET", path+"/engines/auth/settings", nil).string("site_url"), "")
}

func TestEnginesRefused(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.AddInstance(fakeservice.Instance{Plan: "free"}).ID
	for _, row := range []struct {
		field   string
		engines object
	}{
		{"engines.postgres.memory_mb", object{"postgres": object{"memory_mb": 511}}},
		{"engines.redis.memory_mb", object{"redis": object{"memory_mb": -1}}},
		{"engines", object{"postgres": object{"memory_mb": 1537}}},
		{"engines", object{"postgres": object{}, "redis": object{}, "couchdb": object{}, "nats": object{}, "apps": object{}, "auth": object{}}},
		{"engines.auth", object{"auth": object{}}},
		{"engines.auth", object{"auth": object{}, "apps": object{}}},
	} {
		got := a.want(422, "validation_failed", "PUT", "/instances/"+id+"/engines", object{"engines": row.engines})
		if !strings.HasPrefix(got.string("detail"), row.field+":") {
			t.Errorf("the detail about %s: got %q, want one that begins with the field", row.field, got.string("detail"))
		}
	}
	// The three engines of the guestbook fit the free plan exactly.
	a.done("PUT", "/instances/"+id+"/engines", object{"engines": object{"postgres": object{"memory_mb": 768}, "apps": object{}, "auth": object{}}})
}

func TestRestartEngine(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("redis")
	a.done("POST", "/instances/"+id+"/engines/redis/actions/restart", object{})
	equal(t, "target", a.Jobs()[0].Target, "engines/redis")
	a.want(422, "validation_failed", "POST", "/instances/"+id+"/engines/nats/actions/restart", object{})
	a.want(404, "not_found", "POST", "/instances/"+id+"/engines/mongo/actions/restart", object{})
}

func TestAuthSettings(t *testing.T) {
	t.Parallel()
	a := start(t)
	path := "/instances/" + a.running("postgres", "apps", "auth") + "/engines/auth/settings"
	a.done("PATCH", path, object{"site_url": "https://x.example.com", "redirect_urls": []string{"https://x.example.com/**"}})
	a.done("PATCH", path, object{"site_url": "https://y.example.com"})
	got := a.call("GET", path, nil)
	equal(t, "settings", got.body, object{"site_url": "https://y.example.com", "redirect_urls": []any{"https://x.example.com/**"}})
	a.done("PATCH", path, object{"site_url": "", "redirect_urls": []string{}})
	equal(t, "emptied", a.call("GET", path, nil).body, object{"site_url": "", "redirect_urls": []any{}})
	a.want(422, "validation_failed", "PATCH", path, object{"site_url": "not a URL"})
	a.want(422, "validation_failed", "PATCH", path, object{"redirect_urls": []string{"/relative"}})
}

func TestAllowlist(t *testing.T) {
	t.Parallel()
	a := start(t)
	path := "/instances/" + a.running() + "/allowlist"
	a.done("PUT", path, object{"allowlist": []string{"203.0.113.0/24", "198.51.100.7", "2001:DB8:0::/32", "198.51.100.7", "10.1.2.3/8"}})
	got := a.call("GET", path, nil).body["allowlist"]
	equal(t, "list", got, any([]any{"203.0.113.0/24", "198.51.100.7", "2001:db8::/32", "10.0.0.0/8"}))
	a.done("PUT", path, object{"allowlist": []string{"::ffff:203.0.113.9", "::ffff:198.51.100.0/120"}})
	equal(t, "mapped", a.call("GET", path, nil).body["allowlist"], any([]any{"203.0.113.9", "198.51.100.0/24"}))
	for _, bad := range []string{"", "everyone", "10.0.0.0/33", "10.0.0", "fe80::1%eth0", "10.0.0.0/8 ", "::ffff:0.0.0.0/95"} {
		a.want(422, "validation_failed", "PUT", path, object{"allowlist": []string{bad}})
	}
	a.done("PUT", path, object{"allowlist": []string{}})
	equal(t, "emptied", a.call("GET", path, nil).body["allowlist"], any([]any{}))
}

func TestConsoleHasTwoAddresses(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres")
	a.done("PUT", "/instances/"+id+"/engines/postgres/console", object{"mode": "ro"})
	equal(t, "at the other", a.call("GET", "/instances/"+id+"/sql-console", nil).string("mode"), "ro")
	equal(t, "in the record", a.call("GET", "/instances/"+id, nil).string("console_mode"), "ro")
	equal(t, "operation", a.Jobs()[0].Operation, "console")

	bare := a.running()
	a.want(422, "validation_failed", "PUT", "/instances/"+bare+"/sql-console", object{"mode": "rw"})
	a.done("PUT", "/instances/"+bare+"/sql-console", object{"mode": "off"})
}
