package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// TestGoldenFailures applies and refreshes with one kind of request that fails. The service
// refuses the key or does not find the object, from the first or the second time on, or its
// records lack a field. The test compares the diagnostics and the results with
// testdata/failures.*.golden, which has only those that differ from the result without a
// failure.
func TestGoldenFailures(t *testing.T) {
	for name, changes := range failureCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text failureText
			for _, change := range changes {
				what := shownConfig(change.given)
				if change.refresh {
					what = "is refreshed"
				}
				title := fmt.Sprintf("# %s %s %s, the state has %s %s", change.kind, change.from, what, jsonOf(change.state), jsonOf(change.notes))
				usual, failing := storiesOf(func(service *failingService) string { return change.fail(t, service) })
				text.add(title, usual, failing)
			}
			mustBeGolden(t, "failures."+name+".golden", text.out.String())
		})
	}
}

// storiesOf runs tell without a failure, and once for each failure of a request. It
// leaves out failures that change nothing.
func storiesOf(tell func(*failingService) string) (usual string, failing []failedStory) {
	without := failingService{}
	usual = tell(&without)
	for _, request := range attributes.Sorted(without.sent) {
		for _, f := range failuresOf(request, without.fields[request]) {
			if story := tell(&failingService{failure: f}); story != usual {
				failing = append(failing, failedStory{fmt.Sprintf("%s %s, from time %d on", request, f.title, f.from+1), story})
			}
		}
	}
	return usual, failing
}

// A failure is a kind of request that the service no longer answers as it should.
type failure struct {
	request string // "GET /instances/{id}"
	from    int    // the number of requests of the kind that are still answered well
	title   string
	answers http.HandlerFunc // if nil, the records lack a field
	lacks   string           // the field
}

// failuresOf returns the failures of a kind of request whose records have some fields.
func failuresOf(request string, fields map[string]bool) []failure {
	all := []failure{
		{request, 0, "answers 401", refusesAll, ""}, {request, 0, "answers 404", findsNothing, ""},
		{request, 1, "answers 401", refusesAll, ""}, {request, 1, "answers 404", findsNothing, ""},
	}
	for _, field := range []string{"id", "job_id", "build_id", "status", "host", "engines", "env", "links", "tags", "mode", "plan", "memory_mb", "version"} {
		if fields[field] {
			all = append(all, failure{request, 0, "lacks " + field, nil, field})
		}
	}
	return all
}

// findsNothing answers that there is no such object.
func findsNothing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"status":404,"code":"not_found","detail":"There is no such object."}`))
}

// A failingService passes requests on, but not those that fail.
type failingService struct {
	next http.Handler
	failure

	mu     sync.Mutex
	begun  bool                       // until then, no request fails
	sent   []string                   // the kinds of requests, in the order of their first times
	times  map[string]int             // how often each kind was sent
	fields map[string]map[string]bool // the fields in the answers to each kind
	writes []string                   // the requests that change something, with their bodies
}

func (s *failingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + shapeOf(r.URL.Path)
	s.noteSent(r)
	fails := s.fails(request)
	if fails && s.answers != nil {
		s.answers(w, r)
		return
	}
	answer := httptest.NewRecorder()
	s.next.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	var record any
	if json.Unmarshal(body, &record) == nil {
		s.note(request, record)
		if fails {
			body = []byte(jsonOf(withoutField(record, s.lacks)))
			answer.Header().Del("Content-Length")
		}
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

func (s *failingService) fails(request string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return false
	}
	if s.times == nil {
		s.times, s.fields = map[string]int{}, map[string]map[string]bool{}
	}
	if s.times[request] == 0 {
		s.sent = append(s.sent, request)
		s.fields[request] = map[string]bool{}
	}
	s.times[request]++
	return request == s.request && s.times[request] > s.from
}

// noteSent notes a request that changes something, with its body.
func (s *failingService) noteSent(r *http.Request) {
	if r.Method == http.MethodGet {
		return
	}
	body, _ := io.ReadAll(r.Body) // the client has it in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, strings.TrimPrefix(r.URL.RequestURI(), "/api/v1"), body)))
}

// note notes the fields of an answer.
func (s *failingService) note(request string, answer any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fields := s.fields[request]; fields != nil {
		noteFields(fields, answer)
	}
}

func noteFields(fields map[string]bool, v any) {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			fields[name] = true
			noteFields(fields, member)
		}
	case []any:
		for _, element := range v {
			noteFields(fields, element)
		}
	}
}

// withoutField removes a field from all objects of an answer.
func withoutField(v any, field string) any {
	switch v := v.(type) {
	case object:
		delete(v, field)
		for name := range v {
			v[name] = withoutField(v[name], field)
		}
	case []any:
		for i := range v {
			v[i] = withoutField(v[i], field)
		}
	}
	return v
}

func (s *failingService) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
}

// tellWrites writes the requests that change something. Equal ones that follow each other
// are written once.
func (s *failingService) tellWrites(to *strings.Builder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, write := range slices.Compact(s.writes) {
		fmt.Fprintf(to, "  sends %s\n", write)
	}
}

// shapeOf returns a path with {id} for each id and name.
func shapeOf(path string) string {
	return idOfPath.ReplaceAllString(strings.TrimPrefix(path, "/api/v1"), "$1/{id}")
}

var idOfPath = regexp.MustCompile(`(/(?:instances|jobs|databases|extensions|webhooks|engines|apps))/[^/]+`)

// fail carries a change out, and returns what happened.
func (c goldenCase) fail(t *testing.T, service *failingService) string {
	var text strings.Builder
	synctest.Test(t, func(t *testing.T) { c.carryOut(t, service, &text) })
	service.tellWrites(&text)
	return normalIDs(text.String())
}

// carryOut plans and applies a change, or refreshes what is in the state. Requests fail after
// the plan.
func (c goldenCase) carryOut(t *testing.T, service *failingService, to *strings.Builder) {
	t.Helper()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	furnishMore(t, fake)
	service.next = fake
	server := serverOf(t, service, "key")
	var planned strings.Builder
	now, config := c.begin(t, fake, server, &planned)
	if c.refresh {
		service.begin()
		now.read(t, server, to)
		return
	}
	told := now.plan(t, server, config, &planned)
	if told == nil {
		t.Fatalf("the plan of %s %s: got an error, want it applied:\n%s", c.kind, shownConfig(c.given), planned.String())
	}
	service.begin()
	now.apply(t, server, config, told, to)
}

// failureCases returns the changes of TestGoldenFailures, by the name of their file.
func failureCases() map[string][]goldenCase {
	const instance, app = "hosting_instance", "hosting_app"
	bare := object{"deletion_protection": false}
	owned := object{"configured_engines": []any{"postgres", "apps", "auth", "redis", "couchdb", "nats"}}
	big := object{"instance_id": "i-big"}
	shop := object{"instance_id": "i-shop"}
	all := map[string][]goldenCase{
		"instance": {
			{kind: instance, given: object{"name": "web", "plan": "free", "region": "eu-central", "engines": object{"postgres": object{"memory_mb": 600}, "redis": object{}}}},
			{kind: instance, given: object{"name": "web", "plan": "small", "region": "eu-central", "engines": object{"postgres": object{}}}},
			{kind: instance, from: "i-big", given: object{"name": "store", "tags": []any{"new"}, "engines": object{"postgres": object{"memory_mb": 700}, "auth": object{}, "apps": object{}, "nats": object{}}}},
			{kind: instance, from: "i-shop", state: bare, notes: owned, given: object{"deletion_protection": false, "plan": "medium", "engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}}},
			{kind: instance, from: "i-shop", state: bare},
			{kind: instance, from: "i-shop", state: bare, notes: object{"account": object{"id": "", "origin": ""}}},
			{kind: instance, from: "i-big", state: object{"status": "creating", "host": nil, "deletion_protection": false}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true}}}},
			{kind: instance, from: "i-big", state: object{"status": "failed", "deletion_protection": false}, notes: object{"pending": object{"creating": true, "failed": true, "job": "job-x"}}},
			{kind: instance, from: "i-shop", state: object{"deletion_protection": false}, given: object{"deletion_protection": true, "tags": []any{"new"}}},
			{kind: instance, from: "i-shop", refresh: true},
			{kind: instance, from: "i-shop", refresh: true, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}, "pending": object{"creating": true, "job": "job-x"}}},
			{kind: instance, from: "i-shop", refresh: true, state: object{"deletion_protection": nil, "status": "failed"}, notes: object{"pending": object{"creating": true, "protected": true}}},
			{kind: instance, from: "i-shop", refresh: true, state: object{"plan": "free", "deletion_protection": false}, notes: object{"account": object{"id": "", "origin": ""}}},
			{kind: instance, from: "i-shop", refresh: true, notes: object{"connection_moved_on": true}},
			{kind: instance, from: "i-shop", refresh: true, state: object{"status": "creating", "host": nil}, notes: object{"pending": object{"creating": true, "job": "job-x", "switches": object{"postgres": true, "redis": true}}}},
		},
		"app": {
			{kind: app, given: overlaid(big, object{"name": "guestbook", "repo": "octo/guestbook", "links": []any{"auth"}, "env": object{"A": "1"}})},
			{kind: app, from: "i-shop/web", given: object{"port": 8080}},
			{kind: app, from: "i-shop/web", given: object{"branch": "next", "env": object{"B": "2"}, "public": false, "secret_env_wo": object{"TOKEN": "the-secret"}, "secret_env_wo_version": 1}},
			{kind: app, from: "i-shop/web", given: object{"redeploy_triggers": object{"a": "1"}}},
			{kind: app, from: "i-shop/web", given: object{"redeploy_triggers": object{"a": "1"}}, notes: object{"pending": object{"noted": []any{"bld-x"}, "triggers": `{"a":"1"}`, "deploying": true}}},
			{kind: app, from: "i-shop/web", given: object{"port": 8080}, notes: object{"pending": object{"job": "job-x", "deploying": true, "unsure": []any{"port"}}}},
			{kind: app, from: "i-shop/web", state: bare},
			{kind: app, from: "i-shop/web", state: bare, given: object{"deletion_protection": true, "port": 8080}},
			{kind: app, from: "i-shop/web", state: object{"deletion_protection": false, "status": "failed"}, notes: object{"pending": object{"creating": true, "failed": true, "job": "job-x"}}},
			{kind: app, from: "i-shop/web", refresh: true},
			{kind: app, from: "i-shop/web", refresh: true, notes: object{"pending": object{"creating": true, "job": "job-x"}}},
			{kind: app, from: "i-shop/web", refresh: true, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}, "pending": object{"creating": true, "job": "job-x"}}},
			{kind: app, from: "i-shop/web", refresh: true, state: object{"secret_env_wo_version": 1}, notes: object{"secret_env_keys": []any{"TOKEN"}}},
			{kind: app, from: "i-shop/web", given: object{"env": object{"B": "2"}, "secret_env_wo": object{"TOKEN": "the-secret"}, "secret_env_wo_version": 1}, notes: object{"secret_env_keys": []any{"TOKEN"}}, state: object{"secret_env_wo_version": 1}},
			{kind: app, from: "i-shop/web", refresh: true, state: object{"status": "failed", "deletion_protection": nil}},
		},
		"postgres": {
			{kind: "hosting_postgres_database", given: overlaid(shop, object{"name": "blog"})},
			{kind: "hosting_postgres_database", from: "i-shop/orders", state: bare},
			{kind: "hosting_postgres_database", from: "i-shop/orders", state: object{"created_at": nil}, notes: object{"pending": object{"creating": true, "job": "job-x"}}, given: object{"timeouts": object{"update": "5m"}}},
			{kind: "hosting_postgres_database", from: "i-shop/orders", state: object{"deletion_protection": false}, notes: object{"pending": object{"creating": true, "job": "job-x"}}, given: object{"deletion_protection": true}},
			{kind: "hosting_postgres_database", from: "i-shop/orders", refresh: true},
			{kind: "hosting_postgres_database", from: "i-shop/orders", refresh: true, notes: object{"pending": object{"creating": true, "job": "job-x"}}},
			{kind: "hosting_postgres_database", from: "i-shop/orders", refresh: true, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}, "pending": object{"creating": true, "job": "job-x"}}},
			{kind: "hosting_postgres_extension", given: overlaid(shop, object{"name": "pg_trgm"})},
			{kind: "hosting_postgres_extension", given: overlaid(shop, object{"name": "pg_trgm", "database": "orders"})},
			{kind: "hosting_postgres_extension", from: "i-shop/orders/pgcrypto"},
			{kind: "hosting_postgres_extension", from: "i-shop/orders/pgcrypto", refresh: true},
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
			{kind: "hosting_webhook_endpoint", from: "wh-own", refresh: true, notes: object{"account": object{"origin": ""}}},
			{kind: "hosting_webhook_endpoint", from: "wh-own", notes: object{"account": object{"origin": ""}}},
			{kind: "hosting_webhook_endpoint", given: object{"url": "https://hooks.example/y"}},
		},
	}
	for kind, given := range map[string]object{
		"hosting_allowlist":     {"cidrs": []any{"198.51.100.7"}},
		"hosting_console_mode":  {"mode": "ro"},
		"hosting_auth_settings": {"site_url": "https://other.example", "redirect_urls": []any{"https://other.example/**"}},
	} {
		all[strings.TrimPrefix(kind, "hosting_")] = []goldenCase{
			{kind: kind, given: overlaid(big, given)}, {kind: kind, from: "i-shop", refresh: true, notes: object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}}}, {kind: kind, from: "i-shop", given: given}, {kind: kind, from: "i-shop"}, {kind: kind, from: "i-shop", refresh: true},
			{kind: kind, from: "i-shop", refresh: true, notes: object{"account": object{"origin": ""}}},
		}
	}
	return all
}
