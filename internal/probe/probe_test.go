package probe_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/probe"
)

const key = "key-of-the-probe"

// world is a fake to probe, in a synctest bubble.
type world struct {
	*fakeservice.Service
	options  probe.Options
	progress *progress
}

// in runs a test in a bubble, on a fake with at least one object of each kind: two
// instances, an app and a webhook endpoint.
func in(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: key, Querier: fakeservice.QuerierFunc(answer)})
		t.Cleanup(func() { _ = fake.Close() })
		for _, name := range []string{"first", "second"} {
			made := fake.AddInstance(core.Instance{
				Name: name, Plan: "medium", Region: "eu-central", Status: core.StatusRunning, Host: name + ".example",
				Backups: []core.Backup{{ID: "b-" + name, Kind: "daily", CreatedAt: time.Now(), SizeBytes: 1 << 20}},
				Engines: map[string]*core.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256}},
			})
			fake.AddApp(made.ID, core.App{Name: "web", Repo: "acme/web", Branch: "main", Port: 3000, HealthPath: "/healthz", MemoryMB: 128, Status: "running"})
		}
		for _, one := range fake.Instances() {
			if _, err := fake.Resize(one.ID, "large"); err != nil { // this creates a charge
				t.Fatal(err)
			}
		}
		fake.Advance(time.Minute)
		fake.EditCatalog(func(c *core.Catalog) {
			auth, port := c.Engines["auth"], 9999
			auth.Port = &port // the fake sets it only if the engine really runs
			c.Engines["auth"] = auth
		})
		fake.AddWebhook(core.Webhook{URL: "https://hooks.example/", Enabled: true})
		w := &world{Service: fake, progress: &progress{}}
		w.options = probe.Options{
			BaseURL: "https://hosting.test/api/v1", APIKey: key, Progress: w.progress, Poll: 20 * time.Second,
			Transport: gateway.Transport{Handler: fake},
		}
		test(t, w)
	})
}

// answer is a Postgres that knows two statements.
func answer(_ context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
	if strings.HasPrefix(q.SQL, "SELECT ") {
		return fakeservice.QueryResult{Columns: []string{"one"}, Rows: [][]any{{1}}, RowCount: 1, Command: "SELECT"}, nil
	}
	return fakeservice.QueryResult{}, &core.SQLError{Message: "syntax error", SQLState: "42601"}
}

// creating makes the probe try everything.
func (w *world) creating() {
	w.options.Create, w.options.Paid, w.options.Plan, w.options.Repo = true, true, "small", "acme/shop"
	w.progress.on("Open this page", func() { _ = w.PayCheckout(w.made()) })
}

// made returns the id of the instance that the probe has created, "" before that.
func (w *world) made() string {
	for _, one := range w.Instances() {
		if strings.HasPrefix(one.Name, probe.NamePrefix) {
			return one.ID
		}
	}
	return ""
}

// progress records the lines of a probe, and calls a function when a line contains given
// words.
type progress struct {
	mu   sync.Mutex
	said bytes.Buffer
	does map[string]func()
}

func (p *progress) on(words string, do func()) {
	if p.does == nil {
		p.does = map[string]func(){}
	}
	p.does[words] = do
}

func (p *progress) Write(line []byte) (int, error) {
	p.mu.Lock()
	p.said.Write(line)
	p.mu.Unlock()
	for words, do := range p.does {
		if strings.Contains(string(line), words) {
			do()
		}
	}
	return len(line), nil
}

func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// with returns the details of the findings with a verdict, by name.
func with(r probe.Report, verdict probe.Verdict) map[string]string {
	found := map[string]string{}
	for _, f := range r.Findings {
		if f.Verdict == verdict {
			found[f.Name] = strings.Join(f.Details, "; ")
		}
	}
	return found
}

// A run with all permissions sees every mark of the document, except those listed with a
// reason. Each listed mark exists.
func TestEveryFactHolds(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.creating()
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatalf("%s\n%s", err, w.progress)
		}
		if differ := with(report, probe.Differs); len(differ) > 0 {
			t.Errorf("differences of the fake (internal/fakeservice/core) from internal/apispec/openapi.yaml: got %v, want none", differ)
		}
		var unseen []string
		for _, f := range report.Findings {
			if f.Verdict == probe.NotSeen {
				unseen = append(unseen, f.Place)
			}
		}
		slices.Sort(unseen)
		listed := slices.Concat(slices.Collect(maps.Values(beyond))...)
		slices.Sort(listed)
		if difference := cmp.Diff(listed, unseen); difference != "" {
			t.Errorf("facts that the probe did not see differ from beyond (-listed +unseen): for a new one, send its request in internal/probe: reading.go reads, creating.go creates and deletes, steps.go lists the changes, whose bodies are made of the document's examples, and rules.go has those of x-rules. If no request can show it, add its place to internal/probe/beyond_test.go:\n%s", difference)
		}
		// The document's text has as many marks as the report has facts.
		if marks := strings.Count(string(apispec.Document()), `"x-settled": true`); marks != len(report.Findings) {
			t.Errorf("facts: got %d, want one of each of %d marks", len(report.Findings), marks)
		}
		if len(report.Notes) > 0 {
			t.Errorf("notes: got %q, want an empty list", report.Notes)
		}
		if report.Left != "" || w.made() != "" {
			t.Errorf("the rest: got %q and %q, want nothing", report.Left, w.made())
		}
		t.Logf("%d facts, %d hold, %d are beyond the probe", len(report.Findings), report.Count(probe.Holds), report.Count(probe.NotSeen))
	})
}

// A run that only reads changes nothing, and all facts that it sees hold.
func TestReading(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatal(err)
		}
		if differ := with(report, probe.Differs); len(differ) > 0 {
			t.Errorf("differences of the fake (internal/fakeservice/core) from internal/apispec/openapi.yaml: got %v, want none", differ)
		}
		for _, r := range w.Requests() {
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				t.Errorf("requests: got %s %s, want only GET and HEAD", r.Method, r.Path)
			}
		}
		if holds := report.Count(probe.Holds); holds < 100 {
			t.Errorf("facts that hold: got %d, want at least 100", holds)
		}
		t.Logf("%d requests; %d facts hold, %d not seen", len(w.Requests()), report.Count(probe.Holds), report.Count(probe.NotSeen))
	})
}

// A run that creates changes only its own instance.
func TestChangesItsOwnInstanceAlone(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.creating()
		var id string
		w.progress.on("is the instance", func() { id = w.made() })
		if _, err := probe.Run(t.Context(), w.options); err != nil {
			t.Fatal(err)
		}
		creations := 0
		for _, r := range w.Requests() {
			switch {
			case r.Method == http.MethodGet, r.Method == http.MethodHead:
			case r.Method == http.MethodPost && r.Path == "/instances":
				creations++
			case r.Path != "/instances/"+id && !strings.HasPrefix(r.Path, "/instances/"+id+"/"):
				t.Errorf("requests: got %s %s, want only those of the probe's instance", r.Method, r.Path)
			}
		}
		if creations != 1 {
			t.Errorf("creations: got %d, want 1", creations)
		}
		if first, _, _ := strings.Cut(w.progress.String(), "\n"); !strings.HasPrefix(first, id+" ") {
			t.Errorf("the first line: got %q, want it to begin with the id %s", first, id)
		}
	})
}

// If three facts of the fake are changed, exactly these differ.
func TestNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, create := range []bool{false, true} {
		t.Run(fmt.Sprintf("create=%t", create), func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				if create {
					w.creating()
				}
				w.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/backups", Times: -1, Rewrite: func(body map[string]any) {
					for _, one := range body["backups"].([]any) {
						one.(map[string]any)["kind"] = "snapshot"
					}
				}})
				w.Inject(fakeservice.Fault{Method: "GET", Path: "/locations", Times: -1, Rewrite: func(body map[string]any) {
					for _, one := range body["locations"].([]any) {
						location := one.(map[string]any)
						location["country_code"] = location["country"]
						delete(location, "country")
					}
				}})
				w.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*/engines/postgres/console", Times: -1, Status: 404})
				report, err := probe.Run(t.Context(), w.options)
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]string{
					"Backup.kind":      `is "snapshot" that the document does not list (GET /instances/{id}/backups)`,
					"Location.country": `is not valid: property "country" is missing (GET /locations)`,
					"GET /instances/{id}/engines/postgres/console": "the answer is 404 not_found",
				}
				if difference := cmp.Diff(want, with(report, probe.Differs)); difference != "" {
					t.Errorf("(-want +got)\n%s", difference)
				}
			})
		})
	}
}

// Each kind of difference is described by the place and the types, and never by a value.
func TestDescribesDifferences(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		// Only one answer is rewritten, so that each difference is seen once.
		rewrite := func(path string, skip int, change func(body map[string]any)) {
			w.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: 1, Skip: skip, Rewrite: change})
		}
		first := func(body map[string]any, list string) map[string]any { return body[list].([]any)[0].(map[string]any) }
		rewrite("/plans", 0, func(body map[string]any) {
			plan := first(body, "plans")
			plan["cpu"], plan["price_cents"], plan["postgres_connections"] = "two", 1.5, nil
			body["engines"].(map[string]any)["redis"] = true
		})
		rewrite("/locations", 0, func(body map[string]any) { body["locations"].([]any)[0] = "here" })
		rewrite("/me", 0, func(body map[string]any) {
			body["account_id"] = body["id"]
			delete(body, "id")
		})
		rewrite("/billing", 0, func(body map[string]any) { first(body, "charges")["at"] = "yesterday" })
		rewrite("/instances", 0, func(body map[string]any) {
			instance := first(body, "instances")
			instance["status"], instance["job_id"], instance["console_mode"] = "resting", 7, "p4ssw0rd"
			instance["usage"], instance["checkout_url"], instance["region"] = nil, "here", []any{}
			instance["tags"], instance["activity"] = []any{"demo", 1}, slices.Repeat(instance["activity"].([]any)[:1], 21)
			delete(instance, "plan")
		})
		rewrite("/instances/*/allowlist", 0, func(body map[string]any) { body["allowlist"] = map[string]any{} })
		rewrite("/instances/*/connection", 0, func(body map[string]any) {
			body["engines"].(map[string]any)["auth"] = map[string]any{"url": "https://h", "anon_key": "a", "service_key": "s"}
		})
		rewrite("/instances/*/apps", 0, func(body map[string]any) { first(body, "apps")["env"] = map[string]any{"SEED": 1} })
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatal(err)
		}
		differ := map[string]string{
			"Plan.cpu":              "is not valid: value must be a number (GET /plans)",
			"Allowlist.allowlist":   "is not valid: value must be an array (GET /instances/{id}/allowlist)",
			"Plan.price_cents":      "is not valid: value must be an integer (GET /plans)",
			"EngineCatalogue.redis": "is not valid: value must be an object (GET /plans)",
			"Locations.locations":   "one of its elements is not valid: value must be an object (GET /locations)",
			"Account.id":            `is not valid: property "id" is missing (GET /me)`,
			"Charge.at":             "does not have the format date-time (GET /billing)",
			"InstanceStatus":        `is "resting" that the document does not list (GET /instances)`,
			"Instance.job_id":       "is not valid: value must be one of string, null (GET /instances)",
			"Instance.console_mode": `is not valid: value is not one of the allowed values ["off","ro","rw"] (GET /instances)`,
			"Instance.activity":     "is not valid: maximum number of items is 20 (GET /instances)",
			"Instance.usage":        "is not valid: Value is not nullable (GET /instances)",
			"Instance.checkout_url": "does not have the format uri (GET /instances)",
		}
		if difference := cmp.Diff(differ, with(report, probe.Differs)); difference != "" {
			t.Errorf("differences (-want +got)\n%s", difference)
		}
		const shown = ", although the service's own description shows it"
		notes := []string{
			"Account has fields that the document lacks: account_id (GET /me)",
			"App.env one of its elements is not valid: value must be a string (GET /instances/{id}/apps)" + shown,
			`AuthConnection.url is not valid: string doesn't match the regular expression "/auth/v1$" (GET /instances/{id}/connection)` + shown,
			`Instance.plan is not valid: property "plan" is missing (GET /instances)` + shown,
			"Instance.region is not valid: value must be a string (GET /instances)" + shown,
			"Instance.tags one of its elements is not valid: value must be a string (GET /instances)" + shown,
			"Plan.postgres_connections is not valid: Value is not nullable (GET /plans)" + shown,
		}
		slices.Sort(report.Notes)
		if difference := cmp.Diff(notes, report.Notes); difference != "" {
			t.Errorf("notes (-want +got)\n%s", difference)
		}
	})
}

// If a service writes words and values in a different form, only that differs.
func TestNamesOtherForms(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.creating()
		w.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(body map[string]any) {
			if status, is := body["status"].(string); is {
				body["status"] = strings.ToUpper(status)
			}
			if tags, is := body["tags"].([]any); is {
				for i, tag := range tags {
					tags[i] = strings.ToLower(tag.(string))
				}
			}
		}})
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"form of values":    "tags is stored in another form",
			"words of statuses": `InstanceStatus is "RUNNING" (GET /instances/{id}); InstanceStatus is "CREATING" (GET /instances/{id})`,
		}
		if difference := cmp.Diff(want, with(report, probe.Differs)); difference != "" {
			t.Errorf("(-want +got)\n%s", difference)
		}
	})
}

// Errors that a client cannot provoke are checked if they occur.
func TestJudgesTroubleThatComesUp(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.Inject(fakeservice.Fault{Path: "/me", Status: 429, RetryAfter: "7"})
		w.Inject(fakeservice.Fault{Path: "/billing", Status: 503, Code: "maintenance"})
		w.Inject(fakeservice.Fault{Path: "/webhooks", Page: 502})
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatal(err)
		}
		holds := with(report, probe.Holds)
		for _, name := range []string{"response RateLimited", "header RetryAfterRequired", "ErrorRateLimited.code", "response Unavailable", "GET /webhooks"} {
			if _, held := holds[name]; !held {
				t.Errorf("the fact %s: got it not seen, want it seen to hold", name)
			}
		}
		want := map[string]string{"ErrorServer.code": `is "maintenance" that the document does not list (GET /billing)`}
		if difference := cmp.Diff(want, with(report, probe.Differs)); difference != "" {
			t.Errorf("(-want +got)\n%s", difference)
		}
	})
}

// The report and the progress contain no secret.
func TestTellsNoSecret(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.creating()
		secret := regexp.MustCompile(`(postgresql|redis|nats|https?)://[^/\s]+:[^/\s]+@|` + key)
		w.Inject(fakeservice.Fault{Path: "/instances/*/connection", Times: -1, Rewrite: func(body map[string]any) {
			// A value in the wrong place is described only by its type.
			body["host"] = body["engines"]
			body["engines"] = "postgresql://owner:hunter2@db.example/main"
		}})
		w.Inject(fakeservice.Fault{Path: "/billing", Status: 400, Code: key, Detail: "postgresql://owner:hunter2@db.example/main", Times: -1})
		report, err := probe.Run(t.Context(), w.options)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if err := report.WriteTable(&said); err != nil {
			t.Fatal(err)
		}
		if err := report.WriteJSON(&said); err != nil {
			t.Fatal(err)
		}
		said.WriteString(w.progress.String())
		if found := secret.FindString(said.String()); found != "" || strings.Contains(said.String(), "hunter2") {
			t.Errorf("the report: got the secret %q, want none", found)
		}
		if _, differs := with(report, probe.Differs)["Connection.host"]; !differs {
			t.Error("the changed field: got it not seen, want it seen to differ")
		}
	})
}

func TestRefusedKey(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.options.APIKey = "another-key"
		if _, err := probe.Run(t.Context(), w.options); err == nil || err.Error() != "the service refuses the key" {
			t.Errorf("the error: got %v, want that the service refuses the key", err)
		}
		if n := len(w.Requests()); n != 1 {
			t.Errorf("requests: got %d, want 1", n)
		}
	})
}
