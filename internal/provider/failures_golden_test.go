package provider

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// TestFailures applies and refreshes with one kind of request that fails, from its first or
// its second time on. It compares what is reported and the result with
// testdata/failures.golden. The service either refuses the key, or does not find the object.
func TestFailures(t *testing.T) {
	for name, changes := range failingChanges() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for _, change := range changes {
				fmt.Fprintf(&text, "# %s %s %s %s\n", change.kind, change.from, shownConfig(change.given), jsonOf(change.state))
				var sent []string
				synctest.Test(t, func(t *testing.T) { sent = change.fail(t, "", 0, nil, &strings.Builder{}) })
				for _, request := range sent {
					for _, from := range []int{0, 1} {
						for _, answer := range []string{"401", "404"} {
							handler := map[string]http.HandlerFunc{"401": refusesAll, "404": findsNothing}[answer]
							var one strings.Builder
							synctest.Test(t, func(t *testing.T) { change.fail(t, request, from, handler, &one) })
							if strings.Contains(one.String(), "failed\n") {
								fmt.Fprintf(&text, "%s answers %s from time %d on\n%s", request, answer, from+1, strings.ReplaceAll(one.String(), "failed\n", ""))
							}
						}
					}
				}
			}
			mustBeGolden(t, "failures."+name+".golden", normalIDs(text.String()))
		})
	}
}

// findsNothing answers that there is no such object.
func findsNothing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"status":404,"code":"not_found","detail":"There is no such object."}`))
}

// A failingService passes requests on, but answers one kind of them itself.
type failingService struct {
	next    http.Handler
	request string // "GET /instances/{id}"
	from    int    // the number of requests of the kind that are passed on
	fails   http.HandlerFunc

	mu     sync.Mutex
	begun  bool
	sent   []string
	times  map[string]int
	failed bool
}

func (s *failingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := r.Method + " " + shapeOf(r.URL.Path)
	s.mu.Lock()
	fails := false
	if s.begun {
		if s.times[kind] == 0 {
			s.sent = append(s.sent, kind)
		}
		fails = kind == s.request && s.times[kind] >= s.from
		s.times[kind]++
		s.failed = s.failed || fails
	}
	s.mu.Unlock()
	if fails {
		s.fails(w, r)
		return
	}
	s.next.ServeHTTP(w, r)
}

// shapeOf returns a path with {id} for each id and name.
func shapeOf(path string) string {
	parts := strings.Split(strings.TrimPrefix(path, "/api/v1/"), "/")
	for i := range parts {
		if i%2 == 1 && (i != 3 || parts[2] != "postgres") || i == 4 {
			if parts[i] != "connection" && parts[i] != "allowlist" && parts[i] != "apps" && parts[i-1] != "auth" && parts[i-1] != "console" {
				parts[i] = "{id}"
			}
		}
	}
	return "/" + strings.Join(parts, "/")
}

// fail plans and applies a change, or refreshes an imported resource if nothing is given,
// with a kind of request that fails. It returns the kinds of requests that were sent.
func (c plannedChange) fail(t *testing.T, request string, from int, fails http.HandlerFunc, to *strings.Builder) []string {
	t.Helper()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	furnishMore(t, fake)
	service := &failingService{next: fake, request: request, from: from, fails: fails, times: map[string]int{}}
	server := serverOf(t, service, "key")
	now := existing{kind: c.kind}
	if c.from != "" {
		now = imported(t, server, c.kind, strings.Replace(c.from, "wh-own", fake.Webhooks()[0].ID, 1), &strings.Builder{})
		now.state = overlaid(now.state, c.state)
		now.addNotes(t, c.notes)
	}
	begin := func() {
		service.mu.Lock()
		defer service.mu.Unlock()
		service.begun = true
	}
	if c.refresh {
		begin()
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: c.kind, CurrentState: dynamicOf(schemaOf(t, c.kind).ValueType(), orNil(now.state)), CurrentIdentity: now.identity, Private: now.private,
		})
		if err != nil {
			t.Fatal(err)
		}
		writeSorted(to, read.Diagnostics)
		writeChanges(to, "reads", now.state, decoded(t, schemaOf(t, c.kind).ValueType(), read.NewState))
	} else {
		config := c.given
		if c.from != "" && config != nil {
			config = overlaid(now.arguments(t), c.given)
		}
		var planned strings.Builder
		told := now.plan(t, server, config, &planned)
		if told == nil {
			t.Fatalf("%s %s cannot be applied:\n%s", c.kind, shownConfig(c.given), planned.String())
		}
		begin()
		now.apply(t, server, config, told, to)
	}
	service.mu.Lock()
	defer service.mu.Unlock()
	if service.failed {
		to.WriteString("failed\n")
	}
	return service.sent
}

// failingChanges returns the changes of TestFailures, by the name of their file.
func failingChanges() map[string][]plannedChange {
	const instance, app = "hosting_instance", "hosting_app"
	bare := object{"deletion_protection": false}
	owned := object{"configured_engines": []any{"postgres", "apps", "auth", "redis", "couchdb", "nats"}}
	big := object{"instance_id": "i-big"}
	shop := object{"instance_id": "i-shop"}
	all := map[string][]plannedChange{
		"instance": {
			{kind: instance, given: object{"name": "web", "plan": "free", "region": "eu-central", "engines": object{"postgres": object{"memory_mb": 600}, "redis": object{}}}},
			{kind: instance, given: object{"name": "web", "plan": "small", "region": "eu-central", "engines": object{"postgres": object{}}}},
			{kind: instance, from: "i-big", given: object{"name": "store", "tags": []any{"new"}, "engines": object{"postgres": object{"memory_mb": 700}, "auth": object{}, "apps": object{}, "nats": object{}}}},
			{kind: instance, from: "i-shop", state: bare, notes: owned, given: object{"deletion_protection": false, "plan": "medium", "engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}}},
			{kind: instance, from: "i-shop", state: bare},
			{kind: instance, from: "i-shop", state: bare, notes: object{"account": object{"id": "", "origin": ""}}},
			{kind: instance, from: "i-big", state: object{"status": "creating", "host": nil, "deletion_protection": false}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true}}}},
			{kind: instance, from: "i-big", state: object{"status": "failed", "deletion_protection": false}, notes: object{"pending": object{"creating": true, "failed": true, "job": "job-x"}}},
			{kind: instance, from: "i-shop", refresh: true},
			{kind: instance, from: "i-shop", refresh: true, notes: object{"connection_moved_on": true}},
			{kind: instance, from: "i-shop", refresh: true, state: object{"status": "creating", "host": nil}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true, "redis": true}}}},
		},
		"app": {
			{kind: app, given: overlaid(big, object{"name": "guestbook", "repo": "octo/guestbook", "links": []any{"postgres"}, "env": object{"A": "1"}})},
			{kind: app, from: "i-shop/web", given: object{"port": 8080}},
			{kind: app, from: "i-shop/web", given: object{"branch": "next", "env": object{"B": "2"}, "public": false, "secret_env_wo": object{"TOKEN": "the-secret"}, "secret_env_wo_version": 1}},
			{kind: app, from: "i-shop/web", given: object{"redeploy_triggers": object{"a": "1"}}},
			{kind: app, from: "i-shop/web", given: object{"redeploy_triggers": object{"a": "1"}}, notes: object{"pending": object{"noted": []any{"bld-x"}, "triggers": `{"a":"1"}`, "deploying": true}}},
			{kind: app, from: "i-shop/web", given: object{"port": 8080}, notes: object{"pending": object{"job": "job-x", "deploying": true, "unsure": []any{"port"}}}},
			{kind: app, from: "i-shop/web", state: bare},
			{kind: app, from: "i-shop/web", state: object{"deletion_protection": false, "status": "failed"}, notes: object{"pending": object{"creating": true, "failed": true, "job": "job-x"}}},
			{kind: app, from: "i-shop/web", refresh: true},
			{kind: app, from: "i-shop/web", refresh: true, notes: object{"pending": object{"creating": true, "job": "job-x"}}},
			{kind: app, from: "i-shop/web", refresh: true, state: object{"status": "failed", "deletion_protection": nil}},
		},
		"postgres": {
			{kind: "hosting_postgres_database", given: overlaid(shop, object{"name": "blog"})},
			{kind: "hosting_postgres_database", from: "i-shop/orders", state: bare},
			{kind: "hosting_postgres_database", from: "i-shop/orders", state: object{"created_at": nil}, notes: object{"pending": object{"creating": true, "job": "job-x"}}, given: object{"timeouts": object{"update": "5m"}}},
			{kind: "hosting_postgres_database", from: "i-shop/orders", refresh: true},
			{kind: "hosting_postgres_database", from: "i-shop/orders", refresh: true, notes: object{"pending": object{"creating": true, "job": "job-x"}}},
			{kind: "hosting_postgres_extension", given: overlaid(shop, object{"name": "pg_trgm"})},
			{kind: "hosting_postgres_extension", given: overlaid(shop, object{"name": "pg_trgm", "database": "orders"})},
			{kind: "hosting_postgres_script", given: overlaid(shop, object{"sql": "CREATE TABLE a (id int)"})},
		},
		"others": {
			{kind: "hosting_account_profile", given: object{"company": "One Company"}},
			{kind: "hosting_account_profile", from: "acc-own", given: object{"company": "One Company"}},
			{kind: "hosting_account_profile", from: "acc-own", refresh: true},
			{kind: "hosting_account_profile", from: "acc-own", state: object{"id": "acc-other"}, refresh: true},
			{kind: "hosting_account_profile", from: "acc-own", state: object{"id": "acc-other"}, given: object{"company": "One Company"}},
			{kind: "hosting_account_profile", from: "acc-own"},
			{kind: "hosting_webhook_endpoint", from: "wh-own", given: object{"url": "https://hooks.example/z", "enabled": false}},
			{kind: "hosting_webhook_endpoint", from: "wh-own", notes: object{"account": object{"id": "acc-own", "origin": "https://hosting.test"}}},
			{kind: "hosting_webhook_endpoint", from: "wh-own", notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}, refresh: true},
			{kind: "hosting_webhook_endpoint", from: "wh-own", refresh: true},
			{kind: "hosting_webhook_endpoint", given: object{"url": "https://hooks.example/y"}},
		},
	}
	for kind, given := range map[string]object{
		"hosting_allowlist":     {"cidrs": []any{"198.51.100.7"}},
		"hosting_console_mode":  {"mode": "ro"},
		"hosting_auth_settings": {"site_url": "https://other.example", "redirect_urls": []any{"https://other.example/**"}},
	} {
		all[strings.TrimPrefix(kind, "hosting_")] = []plannedChange{
			{kind: kind, given: overlaid(big, given)}, {kind: kind, from: "i-shop", given: given}, {kind: kind, from: "i-shop"}, {kind: kind, from: "i-shop", refresh: true},
		}
	}
	return all
}
