package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An app that failed shows its status, the last answer of its health path and the end of
// its log. If its newest build failed, the page shows the end of that log.
func TestFailedAppShowsItsReason(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web", HealthPath: "/ready", Builds: []fakeservice.Build{
		{ID: "b-1", Status: "failed", Error: "undefined: message"}, {ID: "b-0", Status: "successful"},
	}})
	s.AppFailed(in.ID, "web", fakeservice.AppFailure{Status: 503, Log: "connection refused"})
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID + "/apps"
	page := v.Open(at + "/web")
	for _, want := range []string{"Why the app failed Status failed Last answer of /ready 503 Service Unavailable", "connection refused", "Why the newest build failed", "undefined: message"} {
		if !strings.Contains(page.Text(), want) {
			t.Errorf("the page of the app: got %s, want %q", page.Text(), want)
		}
	}
	if list := v.Open(at).Text(); !strings.Contains(list, "Its health path answered 503 Service Unavailable.") {
		t.Errorf("the list of apps: got %s, want the reason", list)
	}
	s.AppFailed(in.ID, "web", fakeservice.AppFailure{Exited: true})
	if text := v.Open(at + "/web").Text(); !strings.Contains(text, "Last answer of /ready none Process it ended The app wrote nothing") {
		t.Errorf("the page of an app that ended: got %s, want no answer and no log", text)
	}
}

// A browser sees what a checkout buys, and only the Pay button finishes the checkout.
func TestCheckoutIsPaidByAButton(t *testing.T) {
	t.Parallel()
	s := serve(t)
	made := must.Get(s.core.CreateInstance(core.NewInstance{Name: "shop", Plan: "small", Region: "eu-north"}, s.URL))(t)
	path := strings.TrimPrefix(made.CheckoutURL, s.URL)
	browser := http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}}
	for range 2 { // a page that is loaded again changes nothing
		page := s.send(t, "GET", path, browser.Clone(), nil)
		for _, want := range []string{"shop", "eu-north", "9.00 EUR a month", "What happens next", "Pay 9.00 EUR</button>"} {
			if !strings.Contains(page.page, want) {
				t.Errorf("the checkout: got %s, want %q", page.page, want)
			}
		}
	}
	elsewhere := http.Header{"Origin": {"https://other.example"}, "Sec-Fetch-Site": {"cross-site"}}
	if got := s.send(t, "POST", path, elsewhere, nil).status; got != http.StatusForbidden {
		t.Errorf("a form of another site: got %d, want 403", got)
	}
	if in, _ := s.core.Instance(made.ID); in.CheckoutURL == "" {
		t.Fatal("the checkout: got it finished without a payment, want it pending")
	}
	if page := s.send(t, "POST", path, browser.Clone(), nil).page; !strings.Contains(page, "Thank you") {
		t.Errorf("the payment: got %s, want thanks", page)
	}
	if in, _ := s.core.Instance(made.ID); in.CheckoutURL != "" {
		t.Errorf("the checkout after the payment: got it pending at %s, want it finished", in.CheckoutURL)
	}
	if page := s.send(t, "GET", path, browser.Clone(), nil).page; !strings.Contains(page, "This checkout is finished") {
		t.Errorf("the checkout after the payment: got %s, want it finished", page)
	}
}

// Activity names events in words, with relative times by the fake's clock.
func TestActivityIsInWords(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.Emit("pg_database_created", in.ID, nil)
	s.Emit("moon_full", in.ID, nil) // of a later version
	happened := s.Events()[0].At
	s.Advance(3*time.Hour + time.Minute)
	page := fakeservicetest.SignIn(t, s).Open("/portal/instances/" + in.ID)
	for _, want := range []string{"Postgres database created 3 hours ago", "moon full 3 hours ago"} {
		if !strings.Contains(page.Text(), want) {
			t.Errorf("the activity: got %s, want %q", page.Text(), want)
		}
	}
	at := happened.UTC()
	if want := `<time datetime="` + at.Format(time.RFC3339) + `" title="` + at.Format("2 Jan 2006, 15:04:05 UTC") + `">3 hours ago</time>`; !strings.Contains(page.HTML, want) {
		t.Errorf("the activity: got %s, want %s", page.HTML, want)
	}
}

// Forms that destroy something name what is lost. Those without a name to type are behind a
// button that only opens them, also without scripts.
func TestDestructiveFormsAsk(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web"})
	s.AddDatabase(in.ID, "stock")
	s.AddExtension(in.ID, fakeservice.Extension{Name: "pg_trgm", Database: "stock"})
	s.EditInstance(in.ID, func(i *fakeservice.Instance) { i.Backups = []fakeservice.Backup{{ID: "b-1", Kind: "daily"}} })
	address := "https://hooks.example/x"
	hook := must.Get(s.CreateWebhook(core.WebhookChange{URL: &address}))(t)
	key := must.Get(s.CreateKey("ci"))(t)
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID
	for _, row := range []struct {
		page, form string
		asks       bool
		names      []string
	}{
		{at + "/settings", "delete", false, []string{"Engines with all their data: apps, auth, couchdb, nats, postgres, redis", "Databases: main, stock", "Apps with what they keep in /data: web", "Backups: b-1"}},
		{at + "/settings", "rotate", true, []string{"Passwords, keys and URLs: auth, couchdb, nats, postgres, redis"}},
		{at + "/backups", "reset", false, []string{"Databases: main, stock"}},
		{at + "/backups", "restore", false, []string{"What was written since the backup. Databases: main, stock"}},
		{at + "/databases", "drop-database-stock", false, []string{"Database: stock with all its tables"}},
		{at + "/databases", "drop-extension-stock-pg_trgm", true, []string{"Extension: pg_trgm in the database stock"}},
		{at + "/apps/web", "delete", false, []string{"App: web with its URL", "What it keeps in /data"}},
		{"/portal/integrations/" + hook.ID, "delete", true, []string{"Endpoint: " + address}},
		{"/portal/access", "revoke-" + key.ID, true, []string{"Yes: Revoke ci"}},
	} {
		page := v.Open(row.page)
		form := page.Find("id", row.form)
		if form == nil {
			t.Errorf("%s: got no form %s, want one", row.page, row.form)
			continue
		}
		for _, name := range row.names {
			if !strings.Contains(page.Text(), name) {
				t.Errorf("%s of %s: got %s, want %q", row.form, row.page, page.Text(), name)
			}
		}
		if ask := page.Find("id", "ask-"+row.form); (ask != nil && ask == form.Parent && ask.Data == "details") != row.asks {
			t.Errorf("%s of %s behind a button: got %t, want %t", row.form, row.page, !row.asks, row.asks)
		}
	}
}

// Engines are turned off only after a tick that names their databases and apps.
func TestTurningEnginesOffAsks(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	s.SetDuration("engines", 0)
	in := box(s)
	s.AddDatabase(in.ID, "stock")
	v := fakeservicetest.SignIn(t, s)
	off := map[string]string{"engines.postgres": "", "engines.auth": ""}
	page := v.Open("/portal/instances/"+in.ID+"/engines").Submit("engines", off)
	if said := page.Complaint("engines", "confirm"); page.Status != http.StatusUnprocessableEntity || !strings.Contains(said, "auth with all its data; postgres with all its data, Databases: main, stock") {
		t.Errorf("turning engines off: got %d with %q, want 422 with what is lost", page.Status, said)
	}
	if page = page.Submit("engines", map[string]string{"confirm": "on"}); page.Status != http.StatusOK {
		t.Errorf("turning engines off, confirmed: got %d, want 200: %s", page.Status, page.Text())
	}
	s.Advance(time.Minute)
	if record, _ := s.Instance(in.ID); record.Engines["postgres"] != nil || record.Engines["redis"] == nil {
		t.Errorf("the engines: got %v, want them without postgres and auth", record.Engines)
	}
}

// An instance that every address may connect to is marked, and a button adds the visitor's
// address to the list.
func TestOpenToTheInternet(t *testing.T) {
	t.Parallel()
	const marked = `<span class="badge bad">open to the internet</span>`
	for list, open := range map[string]bool{"": true, "0.0.0.0/0": true, "192.0.2.1 ::/0": true, "192.0.2.0/24 2001:db8::/32": false} {
		s := fakeservicetest.Start(t)
		s.SetDuration("allowlist", 0)
		in := s.AddInstance(fakeservice.Instance{Name: "box", Allowlist: strings.Fields(list)})
		v := fakeservicetest.SignIn(t, s)
		at := "/portal/instances/" + in.ID
		for _, path := range []string{"/portal/instances", at, at + "/allowlist"} {
			if got := strings.Contains(v.Open(path).HTML, marked); got != open {
				t.Errorf("%q marked on %s: got %t, want %t", list, path, got, open)
			}
		}
		if page := v.Open(at+"/allowlist").Submit("add-mine", nil); page.Status != http.StatusOK || page.Path() != at+"/allowlist" {
			t.Errorf("adding the address to %q: got %d at %s with %s, want 200 at the allowlist", list, page.Status, page.Path(), page.Text())
		}
		s.Advance(time.Minute)
		want := append(strings.Fields(list), "127.0.0.1")
		if record, _ := s.Instance(in.ID); !slices.Equal(record.Allowlist, want) {
			t.Errorf("the allowlist: got %q, want %q", record.Allowlist, want)
		}
		if v.Open(at + "/allowlist").HasForm("add-mine") {
			t.Errorf("the allowlist %q: got a button for an address that it has, want none", want)
		}
	}
}

// The connection page has copy buttons, a psql command and, with the secrets, a .env file.
func TestConnectionSnippets(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	record := must.Get(s.Connection(t.Context(), in.ID))(t)
	hidden := fakeservicetest.SignIn(t, s).Open("/portal/instances/" + in.ID + "/connection")
	owner := must.Get(url.Parse(record.Engines.Postgres.OwnerURL))(t)
	owner.User = url.User(owner.User.Username())
	if want := "PGSSLROOTCERT=ca.pem psql '" + owner.String() + "'"; !strings.Contains(hidden.Text(), want) {
		t.Errorf("the hidden connection: got %s, want %s", hidden.Text(), want)
	}
	if hidden.Find("id", "dotenv") != nil {
		t.Error("the hidden connection: got a .env file, want none")
	}
	shown := hidden.Submit("reveal", nil)
	for _, want := range []string{
		"psql '" + record.Engines.Postgres.OwnerURL + "'", "DATABASE_URL='" + record.Engines.Postgres.OwnerURL + "'",
		"REDIS_URL='" + record.Engines.Redis.URL + "'", "AUTH_SERVICE_KEY='" + record.Engines.Auth.ServiceKey + "'",
	} {
		if !strings.Contains(shown.Text(), want) {
			t.Errorf("the connection: got %s, want %s", shown.Text(), want)
		}
	}
	for _, id := range []string{"host", "postgres-owner", "postgres-readonly", "redis", "couchdb", "nats", "auth", "anon-key", "service-key", "psql", "dotenv", "ca"} {
		if shown.Find("data-copy", id) == nil || shown.Find("id", id) == nil {
			t.Errorf("the connection: got no copy button for %s, want one", id)
		}
	}
}

// A form that chooses a plan or engines shows the price and the sum of the memory, also
// after a refusal and without scripts.
func TestMemoryIsAddedUp(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := s.AddInstance(fakeservice.Instance{Name: "box", Plan: "small", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 1024}}})
	v := fakeservicetest.SignIn(t, s)
	floors := func(names ...string) int {
		offer := must.Get(s.Plans(t.Context()))(t)
		sum := 0
		for _, name := range names {
			sum += offer.Engines[name].FloorMB
		}
		return sum
	}
	at := "/portal/instances/" + in.ID
	for _, row := range []struct {
		page *fakeservicetest.Page
		want string
	}{
		{v.Open("/portal/instances/new"), "Free. The engines need 0 of 1536 MB."},
		{v.Open("/portal/instances/new").Submit("create", map[string]string{"name": "", "plan": "small", "engines.postgres": "on", "engines.apps": "on"}),
			fmt.Sprintf("9.00 EUR a month. The engines need %d of 2048 MB.", floors("postgres", "apps"))},
		{v.Open(at + "/engines"), "9.00 EUR a month. The engines need 1024 of 2048 MB."},
		{v.Open(at+"/engines").Submit("engines", map[string]string{"engines.redis": "on", "engines.postgres.memory_mb": "2048"}),
			fmt.Sprintf("9.00 EUR a month. The engines need %d of 2048 MB.", 2048+floors("redis"))},
		{v.Open(at + "/settings"), "9.00 EUR a month. The engines need 1024 of 2048 MB."},
	} {
		if !strings.Contains(row.page.Text(), row.want) {
			t.Errorf("%s: got %s, want %q", row.page.Path(), row.page.Text(), row.want)
		}
	}
}

// The SQL console offers the databases of the instance, and keeps the chosen one.
func TestConsoleChoosesADatabase(t *testing.T) {
	t.Parallel()
	var asked []string
	s := fakeservicetest.Start(t, func(o *fakeservice.Options) {
		o.Querier = fakeservice.QuerierFunc(func(_ context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
			asked = append(asked, q.Database)
			return fakeservice.QueryResult{Command: "SELECT"}, nil
		})
	})
	in := s.AddInstance(fakeservice.Instance{Name: "box", ConsoleMode: "ro", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
	s.AddDatabase(in.ID, "stock")
	page := fakeservicetest.SignIn(t, s).Open("/portal/instances/" + in.ID + "/console")
	for _, want := range []string{`<option value="" selected>The instance&#39;s own</option>`, `<option value="main">main</option>`, `<option value="stock">stock</option>`} {
		if !strings.Contains(page.HTML, want) {
			t.Errorf("the console: got %s, want %s", page.HTML, want)
		}
	}
	page = page.Submit("query", map[string]string{"database": "stock", "sql": "SELECT 1"})
	if page.Value("query", "database") != "stock" || !slices.Equal(asked, []string{"stock"}) {
		t.Errorf("the statement: got it sent to %q and %q chosen, want stock", asked, page.Value("query", "database"))
	}
}

// A browser gets the guide to apps as a page, and any other program as markdown.
func TestGuideIsRendered(t *testing.T) {
	t.Parallel()
	s := serve(t)
	page := s.send(t, "GET", "/guides/apps", http.Header{"Accept": {"text/html,*/*;q=0.8"}}, nil)
	for _, want := range []string{"<title>Guide to apps · Instance hosting</title>", "<h1>What a hosted app must satisfy</h1>", "<h2>The container</h2>", "<code>PORT</code>"} {
		if !strings.Contains(page.page, want) {
			t.Errorf("the guide in a browser: got %s, want %s", page.page, want)
		}
	}
	if got := page.header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("the guide in a browser: got %s, want HTML", got)
	}
	text := s.send(t, "GET", "/guides/apps", http.Header{"Accept": {"*/*"}}, nil)
	if got := text.header.Get("Content-Type"); got != core.GuideType || text.page != string(core.Guide) || text.header.Get("Vary") != "Accept" {
		t.Errorf("the guide in another program: got %s with %s, want markdown", got, text.page)
	}
}
