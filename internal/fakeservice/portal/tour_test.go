package portal_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// tour is a walk through the portal that finishes each job immediately.
type tour struct {
	t *testing.T
	s *fakeservicetest.Server
	*fakeservicetest.Visitor
}

// submit sends a form, which must be accepted, and finishes its job.
func (w *tour) submit(path, form string, values map[string]string) *fakeservicetest.Page {
	w.t.Helper()
	page := w.Open(path).Submit(form, values)
	if page.Status != http.StatusOK {
		w.t.Fatalf("the form %s of %s: got %d %s, want 200", form, path, page.Status, page.Text())
	}
	for _, j := range w.s.Jobs() {
		if j.InProgress() {
			must.Do(w.t, w.s.FinishJob(j.ID))
		}
	}
	return page
}

// Each operation of the document is carried out by a page or a form.
func TestEveryOperationInThePortal(t *testing.T) {
	t.Parallel()
	done := map[string]int{}
	received := 0
	s := fakeservicetest.Start(t, fakeservicetest.Delivering(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received++ })), func(o *fakeservice.Options) {
		o.PortalDid = func(operation string) { done[operation]++ }
		o.Querier = fakeservice.QuerierFunc(answerOne)
	})
	w := &tour{t, s, fakeservicetest.SignIn(t, s)}

	w.submit("/portal/profile", "profile", map[string]string{"company": "Engines Ltd", "address": "1 Road\nTown"})
	if page := w.Open("/portal/profile"); page.Value("profile", "company") != "Engines Ltd" || page.Value("profile", "address") != "1 Road\r\nTown" && page.Value("profile", "address") != "1 Road\nTown" {
		t.Errorf("the profile: got %q, want Engines Ltd and 1 Road in Town", page.Values("profile"))
	}
	w.submit("/portal/instances/new", "create", map[string]string{"name": "shop", "plan": "medium", "region": "eu-north", "tags": "prod, web", "engines.postgres": "on", "engines.apps": "on", "engines.auth": "on"})
	in := s.Instances()[0]
	if in.Name != "shop" || in.Plan != "medium" || in.Region != "eu-north" || !slices.Equal(in.Tags, []string{"prod", "web"}) || len(in.Engines) != 3 || in.Status != "running" {
		t.Fatalf("the instance: got %+v, want shop, which runs with the chosen plan, region, tags and three engines", in)
	}
	at := "/portal/instances/" + in.ID
	now := func() fakeservice.Instance {
		record, _ := s.Instance(in.ID)
		return record
	}
	check := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}

	w.submit(at+"/settings", "label", map[string]string{"name": "store", "tags": "prod"})
	check("name and tags", fmt.Sprint(now().Name, now().Tags), "store[prod]")
	w.submit(at+"/engines", "engines", map[string]string{"engines.redis": "on", "engines.postgres.memory_mb": "1024"})
	check("engines", fmt.Sprint(len(now().Engines), now().Engines["postgres"].MemoryMB, now().Engines["redis"].MemoryMB), "4 1024 64")
	w.submit(at+"/engines", "restart-postgres", nil)
	w.submit(at+"/allowlist", "allowlist", map[string]string{"allowlist": "192.0.2.0/24\r\n2001:db8::1"})
	check("allowlist", now().Allowlist, "[192.0.2.0/24 2001:db8::1]")
	w.submit(at+"/console", "mode", map[string]string{"mode": "rw"})
	check("console", now().ConsoleMode, "rw")
	result := w.submit(at+"/console", "query", map[string]string{"sql": "SELECT 1 < 2"})
	if !strings.Contains(result.Text(), "SELECT, 1 rows") || !strings.Contains(result.Text(), "<one>") || result.Value("query", "sql") != "SELECT 1 < 2" {
		t.Errorf("the console: got %s, want one row <one> and the statement", result.Text())
	}
	w.submit(at+"/databases", "database", map[string]string{"name": "stock"})
	w.submit(at+"/databases", "extension", map[string]string{"name": "pg_trgm", "database": "stock"})
	if page := w.Open(at + "/databases"); !strings.Contains(page.Text(), "pg_trgm") || !page.HasForm("drop-database-stock") {
		t.Errorf("the databases: got %s, want pg_trgm and a form to drop stock", page.Text())
	}
	if w.Open(at + "/databases").HasForm("drop-database-main") {
		t.Error("the page offers to drop the default database, which the service refuses")
	}
	w.submit(at+"/databases", "drop-extension-stock-pg_trgm", nil)
	w.submit(at+"/databases", "drop-database-stock", map[string]string{"confirm": "stock"})
	if page := w.Open(at + "/databases"); page.HasForm("drop-database-stock") || page.HasForm("drop-extension-stock-pg_trgm") {
		t.Error("the database or its extension is still on the page after both were dropped")
	}

	w.submit(at+"/apps", "import", map[string]string{"repo": "acme/web", "name": "web", "env": "A=1\r\nB=two words"})
	app, _ := s.App(in.ID, "web")
	check("variables", app.Env, "map[A:1 B:two words]")
	s.Advance(10 * time.Minute) // the build
	app, _ = s.App(in.ID, "web")
	builds := len(app.Builds)
	w.submit(at+"/apps/web", "app", map[string]string{"links.auth": "on", "port": "4000"})
	app, _ = s.App(in.ID, "web")
	check("the app", fmt.Sprint(app.Links, app.Port, len(app.Builds)), fmt.Sprint("[auth] 4000 ", builds))
	w.submit(at+"/apps/web", "redeploy", nil)
	w.submit(at+"/apps/web", "restart", nil)
	if page := w.Open(at + "/apps/web/builds/" + app.Builds[0].ID); !strings.Contains(page.Text(), app.Builds[0].ID) {
		t.Errorf("the page of the build: got %s, want %s in it", page.Text(), app.Builds[0].ID)
	}
	w.submit(at+"/auth", "auth", map[string]string{"site_url": "https://shop.example", "redirect_urls": "https://shop.example/**"})
	check("auth", now().Engines["auth"].SiteURL, "https://shop.example")
	w.submit(at+"/apps/web", "delete", map[string]string{"confirm": "web"})
	check("apps", len(s.Apps(in.ID)), 0)

	w.submit(at+"/settings", "rotate", nil)
	w.submit(at+"/settings", "resize", map[string]string{"plan": "large"})
	check("plan", now().Plan, "large")
	w.submit(at+"/backups", "reset", map[string]string{"engine": "redis", "confirm": in.ID})
	w.submit(at+"/backups", "restore", map[string]string{"backup_id": now().Backups[0].ID, "confirm": in.ID})

	w.submit("/portal/integrations", "endpoint", map[string]string{"url": "https://hooks.example/x"})
	endpoint := "/portal/integrations/" + s.Webhooks()[0].ID
	w.submit(endpoint, "endpoint", map[string]string{"url": "https://hooks.example/y", "enabled": ""})
	check("endpoint", fmt.Sprint(s.Webhooks()[0].URL, s.Webhooks()[0].Enabled), "https://hooks.example/yfalse")
	w.submit(endpoint, "enable", nil)
	check("endpoint", s.Webhooks()[0].Enabled, true)
	w.submit(endpoint, "test", nil)
	s.Advance(0)
	deliveries, err := s.Deliveries(s.Webhooks()[0].ID)
	check("test event", fmt.Sprint(deliveries[0].Type, deliveries[0].State, received, err), "testdelivered1 <nil>")

	for _, path := range []string{"/portal/", at, at + "/connection", "/portal/jobs/" + s.Jobs()[0].ID, "/portal/plans", "/portal/billing", "/portal/access", "/guides/apps"} {
		if page := w.Open(path); page.Status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", path, page.Status, page.Text())
		}
	}
	w.submit(endpoint, "delete", nil)
	w.submit(at+"/settings", "delete", map[string]string{"confirm": in.ID})
	check("instances", len(s.Instances()), 0)
	if page := w.Open(at); page.Status != http.StatusNotFound {
		t.Errorf("the page of a deleted instance: got %d, want 404", page.Status)
	}

	operations := must.Get(apispec.Operations())(t)
	for _, o := range operations {
		if done[o.String()] == 0 {
			t.Errorf("%s was not done: submit its form in portal/tour_test.go, which needs a handler in portal/routes.go and a place in portal/templates/pages", o)
		}
		delete(done, o.String())
	}
	if len(done) > 0 {
		t.Errorf("operations in portal/routes.go that are not in the document: %v", done)
	}
}

// A page receives a job's progress and end, and the stream ends with the session.
func TestLivePage(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	release := s.HoldJobs(fakeservice.JobMatch{})
	v := fakeservicetest.SignIn(t, s)
	// A stream that does not end fails the test.
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	request := must.Get(http.NewRequestWithContext(ctx, "GET", s.RootURL+"/portal/instances/"+in.ID, nil))(t)
	request.Header.Set("Accept", "text/event-stream")
	response, err := v.Client.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("content type: got %s, want text/event-stream", kind)
	}
	stream := bufio.NewScanner(response.Body)
	until := func(text string) {
		t.Helper()
		for stream.Scan() {
			if strings.Contains(stream.Text(), text) {
				return
			}
		}
		t.Fatalf("the stream: got its end without %q and error %v, want the text", text, stream.Err())
	}
	until("event: head")
	must.Get(s.StartJob(in.ID, "console", ""))(t)
	until("Progress of the job console")
	release()
	s.Advance(time.Minute)
	until("<strong>SQL console mode changed</strong>")
	v.Open("/portal/access").Submit("sign-out", nil)
	for stream.Scan() {
		if strings.Contains(stream.Text(), "gone") {
			t.Errorf("a line of the stream: got %q, want no word that the instance is gone", stream.Text())
		}
	}
	if err := stream.Err(); err != nil {
		t.Errorf("the end of the stream: got error %v, want none", err)
	}
}

// answerOne is a Querier that returns one row.
func answerOne(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
	return fakeservice.QueryResult{Columns: []string{"n"}, Rows: [][]any{{"<one>"}}, RowCount: 1, Command: "SELECT"}, nil
}
