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
	a.AddApp(id, fakeservice.App{Name: "web", Links: []string{"auth"}})
	a.AddDatabase(id, "extra")
	// Engines that the request omits are turned off with their data.
	a.play("/instances/"+id, `
		PUT /sql-console {"mode":"rw"} => done
		PATCH /engines/auth/settings {"site_url":"https://x.example.com"} => done
		PUT /engines {"engines":{"postgres":{"memory_mb":1024},"redis":{},"apps":{}}} => done
		GET . => 200 | engines/postgres/memory_mb=1024 | engines/postgres/port=5432 | engines/redis/memory_mb=64 | engines/auth=null
		GET /postgres/databases => 200 | databases#=2
		GET /apps/web => 200 | links=[]
		GET /engines/auth/settings => 404 not_found
		PUT /engines {"engines":{}} => done
		GET . => 200 | engines={}
		GET /sql-console => 200 | mode="off"
		GET /postgres/databases => 422 validation_failed
		PUT /engines {"engines":{"postgres":{},"apps":{},"auth":{}}} => done
		GET /apps => 200 | apps=[]
		GET /postgres/databases => 200 | databases#=1
		GET /engines/auth/settings => 200 | site_url=""
	`)
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
	a.play("/instances/"+a.running("redis")+"/engines", `
		POST /redis/actions/restart {} => done
		POST /nats/actions/restart {} => 422 validation_failed
		POST /mongo/actions/restart {} => 404 not_found
	`)
	equal(t, "target", a.Jobs()[0].Target, "engines/redis")
}

func TestAuthSettings(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.play("/instances/"+a.running("postgres", "apps", "auth")+"/engines/auth/settings", `
		PATCH . {"site_url":"https://x.example.com","redirect_urls":["https://x.example.com/**"]} => done
		PATCH . {"site_url":"https://y.example.com"} => done
		GET . => 200 | site_url="https://y.example.com" | redirect_urls=["https://x.example.com/**"]
		PATCH . {"site_url":"","redirect_urls":[]} => done
		GET . => 200 | site_url="" | redirect_urls=[]
		PATCH . {"site_url":"not a URL"} => 422 validation_failed
		PATCH . {"redirect_urls":["/relative"]} => 422 validation_failed
	`)
}

func TestAllowlist(t *testing.T) {
	t.Parallel()
	a := start(t)
	path := "/instances/" + a.running()
	a.play(path, `
		PUT /allowlist {"allowlist":["203.0.113.0/24","198.51.100.7","2001:DB8:0::/32","198.51.100.7","10.1.2.3/8"]} => done
		GET /allowlist => 200 | allowlist=["203.0.113.0/24","198.51.100.7","2001:db8::/32","10.0.0.0/8"]
		PUT /allowlist {"allowlist":["::ffff:203.0.113.9","::ffff:198.51.100.0/120"]} => done
		GET /allowlist => 200 | allowlist=["203.0.113.9","198.51.100.0/24"]
		PUT /allowlist {"allowlist":[]} => done
		GET /allowlist => 200 | allowlist=[]
	`)
	for _, bad := range []string{"", "everyone", "10.0.0.0/33", "10.0.0", "fe80::1%eth0", "10.0.0.0/8 ", "::ffff:0.0.0.0/95"} {
		a.want(422, "validation_failed", "PUT", path+"/allowlist", object{"allowlist": []string{bad}})
	}
}

func TestConsoleHasTwoAddresses(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.play("/instances/"+a.running("postgres"), `
		PUT /engines/postgres/console {"mode":"ro"} => done
		GET /sql-console => 200 | mode="ro"
		GET . => 200 | console_mode="ro"
	`)
	equal(t, "operation", a.Jobs()[0].Operation, "console")
	a.play("/instances/"+a.running()+"/sql-console", `
		PUT . {"mode":"rw"} => 422 validation_failed
		PUT . {"mode":"off"} => done
	`)
}
