package setup

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

const whole = `{
	"plans": [{"id": "tiny", "memory_mb": 2048}, {"id": "big", "price_cents": 5000, "memory_mb": 8192, "postgres_connections": 300}],
	"engines": {"postgres": {"floor_mb": 256}},
	"locations": [{"id": "mars", "name": "Olympus", "country": "XX"}],
	"durations": {"create": "2m", "build": "10s"},
	"account": {"id": "acc-ada", "email": "ada@example.com", "company": "Engines Ltd"},
	"instances": [
		{"id": "i-shop", "name": "shop", "plan": "big", "region": "mars",
		 "engines": {"postgres": {"memory_mb": 1024}, "apps": {"memory_mb": 640}, "auth": {"site_url": "https://shop.example", "redirect_urls": ["https://shop.example/**"]}},
		 "tags": ["prod"], "allowlist": ["192.0.2.0/24"], "console_mode": "ro",
		 "databases": ["stock"], "extensions": [{"name": "pgvector", "database": "stock"}, {"name": "pg_trgm"}],
		 "apps": [{"name": "web", "repo": "acme/shop", "public": true, "env": {"KEY": "value"}, "links": ["auth"], "memory_mb": 600}]},
		{"name": "bare"}
	],
	"webhooks": [{"id": "wh-1", "url": "https://hooks.example/x", "secret": "s", "enabled": false}, {"url": "https://hooks.example/y"}]
}`

func TestSetup(t *testing.T) {
	t.Parallel()
	s := must.Get(Read(strings.NewReader(whole)))(t)
	service := core.New(core.Options{})
	t.Cleanup(func() { _ = service.Close() })
	must.Do(t, s.Apply(service, false))
	plans, _ := service.Plans(t.Context())
	if len(plans.Plans) != 2 || plans.Plans[0].Name != "tiny" || plans.Plans[1].PostgresConnections != 300 || plans.Engines["postgres"].FloorMB != 256 || plans.Engines["redis"].FloorMB != 64 {
		t.Errorf("the catalogue: got %+v, want tiny, a plan of 300 connections and the floors 256 and 64", plans)
	}
	account, _ := service.Account(t.Context())
	if account.Email != "ada@example.com" || *account.Company != "Engines Ltd" || account.ID != "acc-ada" || account.Name == nil {
		t.Errorf("the account: got %+v, want acc-ada with ada@example.com, Engines Ltd and a name", account)
	}
	all := service.Instances()
	if len(all) != 2 || all[1].Name != "bare" || all[1].Plan != "tiny" || all[1].Region != "mars" {
		t.Fatalf("the instances: got %+v, want two, the second bare of the plan tiny on mars", all)
	}
	shop := all[0]
	engines := map[string]*core.Engine{
		"postgres": {MemoryMB: 1024}, "apps": {MemoryMB: 640},
		"auth": {MemoryMB: 256, SiteURL: "https://shop.example", RedirectURLs: []string{"https://shop.example/**"}},
	}
	if diff := cmp.Diff(engines, shop.Engines); diff != "" || shop.ID != "i-shop" || shop.Status != core.StatusRunning || shop.ConsoleMode != "ro" || shop.Allowlist[0] != "192.0.2.0/24" {
		t.Errorf("the shop: got %+v, want i-shop, running, with the console mode ro and 192.0.2.0/24; engines (-want +got):\n%s", shop, diff)
	}
	if apps := service.Apps("i-shop"); len(apps) != 1 || apps[0].Status != core.StatusRunning || apps[0].Env["KEY"] != "value" || apps[0].Links[0] != "auth" || apps[0].MemoryMB != 600 || apps[0].URL == "" {
		t.Errorf("the apps of the shop: got %+v, want one that runs with KEY=value, the link auth, 600 MB and a URL", apps)
	}
	if databases, extensions := service.Databases("i-shop"), service.Extensions("i-shop"); len(databases) != 2 || len(extensions) != 2 || extensions[1].Database != "main" || extensions[0].Version == "" {
		t.Errorf("shop: got databases %v and extensions %v, want 2 of each", databases, extensions)
	}
	if hooks := service.Webhooks(); len(hooks) != 2 || hooks[0].ID != "wh-1" || hooks[0].Enabled || !hooks[1].Enabled || hooks[1].Secret == "" {
		t.Errorf("the endpoints: got %+v, want wh-1 disabled and another one enabled with a secret", hooks)
	}
	if jobs := service.Jobs(); len(jobs) != 0 {
		t.Errorf("jobs after the setup: got %v, want an empty list", jobs)
	}
	made := must.Get(service.CreateInstance(core.NewInstance{Name: "n", Plan: "tiny", Region: "mars"}, ""))(t)
	service.Advance(2 * time.Minute)
	if in, _ := service.Instance(made.ID); in.Status != core.StatusRunning {
		t.Errorf("the new instance after two minutes: got status %s, want %s", in.Status, core.StatusRunning)
	}
}

// Every error begins with the path of the invalid field.
func TestErrorsNameTheField(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{`:                                         "invalid JSON",
		`[]`:                                        "the file: ",
		`{"plan": []}`:                              "plan: there is no such field",
		`{"plans": []}`:                             "plans: there must be one",
		`{"plans": [{"id": "a"}]}`:                  "plans[0].memory_mb: it is required",
		`{"plans": [{"memory_mb": 1}]}`:             "plans[0].id: it is required",
		`{"plans": [{"id": 7}]}`:                    "plans[0].id: it cannot be a JSON number",
		`{"engines": {"mysql": {}}}`:                "engines.mysql: there is no such engine",
		`{"engines": {"redis": {}}}`:                "engines.redis.floor_mb: it is required",
		`{"locations": [{}]}`:                       "locations[0].id: it is required",
		`{"durations": {"create": "8"}}`:            `durations.create: "8" is not a duration such as 90s`,
		`{"durations": {"create": 8}}`:              "durations.create: JSON value must be string",
		`{"durations": {"creat": "8m"}}`:            "durations.creat: there is no such operation",
		`{"account": {"mail": "x"}}`:                "account.mail: there is no such field",
		`{"account": {"id": "acc/ada"}}`:            "account.id: it takes up to 63",
		`{"account": {"email": "a\nb"}}`:            "account.email: it must not have",
		`{"instances": [{}]}`:                       "instances[0].name: it is required",
		`{"instances": [{"named": "x"}]}`:           "instances[0].named: there is no such field",
		`{"instances": [{"id": "../x"}]}`:           "instances[0].id: ",
		`{"instances": [{"id": "a"}, {"id": "a"}]}`: "instances[1].id: there is another",
		`{"instances": [{"name": "a"}, {"name": "b", "plan": "gold"}]}`:                                                      `instances[1].plan: there is no plan "gold"`,
		`{"instances": [{"name": "a", "region": "moon"}]}`:                                                                   `instances[0].region: there is no location "moon"`,
		`{"instances": [{"name": "a", "engines": {"postgress": {}}}]}`:                                                       "instances[0].engines.postgress: there is no such engine",
		`{"instances": [{"name": "a", "engines": {"redis": {"memory_mb": 1}}}]}`:                                             "instances[0].engines.redis.memory_mb: 1 is under",
		`{"instances": [{"name": "a", "engines": {"auth": {}}}]}`:                                                            "instances[0].engines.auth: the auth engine needs",
		`{"instances": [{"name": "a", "engines": {"redis": {"site_url": "https://x"}}}]}`:                                    "instances[0].engines.redis: site_url",
		`{"instances": [{"name": "a", "engines": {"postgres": {}, "apps": {"memory_mb": 640}, "auth": {"site_url": "x"}}}]}`: "instances[0].engines.auth.site_url: ",
		`{"instances": [{"name": "a", "allowlist": ["x"]}]}`:                                                                 "instances[0].allowlist: ",
		`{"instances": [{"name": "a", "console_mode": "wr"}]}`:                                                               "instances[0].console_mode: ",
		`{"instances": [{"name": "a", "databases": ["x"]}]}`:                                                                 "instances[0].databases[0]: ",
		`{"instances": [{"name": "a", "engines": {"postgres": {}}, "extensions": [{"name": "x"}]}]}`:                         "instances[0].extensions[0].name: ",
		`{"instances": [{"name": "a", "engines": {"apps": {}}, "apps": [{"name": "w", "repo": "x"}]}]}`:                      "instances[0].apps[0].repo: ",
		`{"instances": [{"name": "a", "engines": {"apps": {}}, "apps": [{"name": "w", "repo": "x/y", "prot": 1}]}]}`:         "instances[0].apps[0].prot: there is no such field",
		`{"instances": [{"name": "a", "engines": {"apps": {}}, "apps": [{"name": "w", "repo": "x/y", "port": -1}]}]}`:        "instances[0].apps[0].port: ",
		`{"webhooks": [{}]}`:                             "webhooks[0].url: ",
		`{"webhooks": [{"url": "http://x.example"}]}`:    "webhooks[0].url: ",
		`{"webhooks": [{"url": "https://x", "id": 3}]}`:  "webhooks[0].id: it cannot be a JSON number",
		`{"instances": [{"name": "a", "name": "b"}]}`:    "instances[0].name: it is there twice",
		`{"instances": [{"name": "a", "tags": "prod"}]}`: "instances[0].tags: it cannot be a JSON string",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want one that begins with %s", text, err, want)
		}
	}
}
