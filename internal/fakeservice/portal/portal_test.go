package portal_test

import (
	"bufio"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/portal"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// box adds an instance with all engines.
func box(s *fakeservicetest.Server) fakeservice.Instance {
	engines := map[string]*fakeservice.Engine{}
	for _, name := range []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"} {
		engines[name] = &fakeservice.Engine{}
	}
	return s.AddInstance(fakeservice.Instance{Name: "box", Plan: "medium", Engines: engines})
}

// sites is a portal whose clock the test moves.
type sites struct {
	*httptest.Server
	core *core.Service
	now  time.Time
}

func serve(t *testing.T, opts ...func(*portal.Options)) *sites {
	t.Helper()
	s := &sites{core: core.New(core.Options{}), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	options := portal.Options{Service: s.core, Password: "the password", Now: func() time.Time { return s.now }}
	for _, set := range opts {
		set(&options)
	}
	p := portal.New(options)
	mux := http.NewServeMux()
	p.Mount(mux)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.Close()
		// Like testserver.Server.Close, this leaves http.DefaultTransport alone.
		must.Report(t, errors.Join(s.Config.Close(), s.core.Close()))
	})
	return s
}

// answer is a response.
type answer struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
	page    string
}

// send sends a request and does not follow redirects.
func (s *sites) send(t *testing.T, method, path string, header http.Header, values url.Values) answer {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(values.Encode())))(t)
	for name, value := range header {
		request.Header[name] = value
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	must.Do(t, err)
	defer response.Body.Close()
	var text strings.Builder
	must.Get(bufio.NewReader(response.Body).WriteTo(&text))(t)
	return answer{response.StatusCode, response.Header, response.Cookies(), text.String()}
}

func (s *sites) signIn(t *testing.T) (cookie *http.Cookie, token string) {
	t.Helper()
	response := s.send(t, "POST", "/portal/sign-in", nil, url.Values{"email": {" Customer@example.com"}, "password": {"the password"}})
	if response.status != http.StatusSeeOther || len(response.cookies) != 1 {
		t.Fatalf("the sign-in: got %d with %d cookies, want 303 with one", response.status, len(response.cookies))
	}
	cookie = response.cookies[0]
	page := s.send(t, "GET", "/portal/access", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}, nil).page
	_, after, _ := strings.Cut(page, `name="csrf" value="`)
	token, _, _ = strings.Cut(after, `"`)
	if token == "" {
		t.Fatalf("the page: got %s, want one with a token", page)
	}
	return cookie, token
}

func (s *sites) keys() int { return len(s.core.Keys()) }

// A refused form shows the error at the invalid field and keeps the values that were
// entered.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web"})
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID
	for name, row := range map[string]struct {
		page, form   string
		typed        map[string]string
		field, words string
		status       int
	}{
		"no name":               {"/portal/instances/new", "create", map[string]string{"name": "", "plan": "small", "region": "us-west", "tags": "a, b", "engines.postgres": "on"}, "name", "1 to 100 characters", 422},
		"auth alone":            {"/portal/instances/new", "create", map[string]string{"name": "x", "engines.auth": "on"}, "engines.auth", "needs the postgres and apps", 422},
		"budgets":               {at + "/engines", "engines", map[string]string{"engines.postgres.memory_mb": "1"}, "engines.postgres.memory_mb", "under the engine's floor", 422},
		"no number":             {at + "/engines", "engines", map[string]string{"engines.redis.memory_mb": "much"}, "engines.redis.memory_mb", "whole number", 422},
		"too much":              {at + "/engines", "engines", map[string]string{"engines.redis.memory_mb": "9999"}, "", "budgets come to", 422},
		"no address":            {at + "/allowlist", "allowlist", map[string]string{"allowlist": "192.0.2.1\nhome"}, "allowlist", "neither an address", 422},
		"console off":           {at + "/console", "query", map[string]string{"sql": "SELECT 1"}, "sql", "console is off", 403},
		"database":              {at + "/databases", "database", map[string]string{"name": "No"}, "name", "", 422},
		"confirm":               {at + "/settings", "delete", map[string]string{"confirm": "box"}, "confirm", "must equal the id", 422},
		"confirm a reset":       {at + "/backups", "reset", map[string]string{"confirm": "", "engine": "redis"}, "confirm", "must equal the id", 422},
		"too small":             {at + "/settings", "resize", map[string]string{"plan": "free"}, "plan", "budgets come to", 422},
		"a taken name":          {at + "/apps", "import", map[string]string{"repo": "o/web", "name": "web", "env": "A=1"}, "name", "", 409},
		"variables":             {at + "/apps", "import", map[string]string{"repo": "o/web", "name": "two", "env": "A"}, "env", "NAME=value", 422},
		"a port":                {at + "/apps/web", "app", map[string]string{"port": "0"}, "port", "from 1 to 65535", 422},
		"confirm an app":        {at + "/apps/web", "delete", map[string]string{"confirm": "wob"}, "confirm", "must be web", 422},
		"a redirect":            {at + "/auth", "auth", map[string]string{"site_url": "nowhere", "redirect_urls": "https://a.example/**"}, "site_url", "", 422},
		"a key":                 {"/portal/access", "key", map[string]string{"name": strings.Repeat("x", 101)}, "name", "1 to 100 characters", 422},
		"an endpoint by http":   {"/portal/integrations", "endpoint", map[string]string{"url": "http://hooks.example", "secret": "mine"}, "url", "https URL", 422},
		"a tag that is too big": {at + "/settings", "label", map[string]string{"tags": strings.Repeat("x", 65)}, "tags", "64 characters", 422},
	} {
		page := v.Open(row.page).Submit(row.form, row.typed)
		if page.Status != row.status {
			t.Errorf("%s: got %d at %s with %s, want %d", name, page.Status, page.Path(), page.Text(), row.status)
			continue
		}
		said := page.Text()
		if row.field != "" {
			said = page.Complaint(row.form, row.field)
		}
		if said == "" || !strings.Contains(said, row.words) {
			t.Errorf("%s: got %q at the field %q, want %q; the page: %s", name, said, row.field, row.words, page.Text())
		}
		for field, typed := range row.typed {
			if got := page.Value(row.form, field); got != typed {
				t.Errorf("%s: value of %s: got %q, want %q as typed", name, field, got, typed)
			}
		}
	}
	if jobs := s.Jobs(); len(jobs) != 0 {
		t.Errorf("jobs: got %v, want an empty list", jobs)
	}
}

// A form that changes one value changes no other, even if the other values are unusual.
func TestFormsKeepWhatIsNotTyped(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	s.SetDuration("update", 0)
	in := s.AddInstance(fakeservice.Instance{Name: "box", Plan: "medium", Tags: []string{"a, b", "c"}, Engines: map[string]*fakeservice.Engine{
		"postgres": {}, "apps": {}, "auth": {RedirectURLs: []string{"https://a.example/x,y/**", "https://c.example"}},
	}})
	env := map[string]string{"KEY": "-----BEGIN KEY-----\r\nQUJD=\nREVG==\n", "QUOTED": `"x"`, "HALF": `"x`, "PLAIN": " x=y ", "EMPTY": ""}
	s.AddApp(in.ID, fakeservice.App{Name: "web", Env: env})
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID
	for _, row := range []struct{ page, form, field, typed string }{
		{"/settings", "label", "name", "renamed"}, {"/auth", "auth", "site_url", "https://box.example"}, {"/apps/web", "app", "port", "4000"}, {"/apps/web", "app", "env", ""},
	} {
		v := v.Open(at + row.page)
		typed := row.typed
		if row.field == "env" {
			typed = v.Value(row.form, row.field) + "\nMORE=1"
		}
		if page := v.Submit(row.form, map[string]string{row.field: typed}); page.Status != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", row.page, page.Status, page.Text())
		}
		s.Advance(time.Minute)
		if app, _ := s.App(in.ID, "web"); row.field == "port" && (!maps.Equal(app.Env, env) || len(app.Builds) > 0) {
			t.Errorf("after a change of the port: got variables %q and %d builds, want unchanged variables and no build", app.Env, len(app.Builds))
		}
	}
	record, _ := s.Instance(in.ID)
	if record.Name != "renamed" || !slices.Equal(record.Tags, []string{"a, b", "c"}) {
		t.Errorf("the instance: got the name %q and the tags %q, want renamed with %q", record.Name, record.Tags, []string{"a, b", "c"})
	}
	if auth := record.Engines["auth"]; auth.SiteURL != "https://box.example" || !slices.Equal(auth.RedirectURLs, []string{"https://a.example/x,y/**", "https://c.example"}) {
		t.Errorf("the settings of auth: got %+v, want https://box.example and two redirect URLs", auth)
	}
	env["MORE"] = "1"
	if app, _ := s.App(in.ID, "web"); !maps.Equal(app.Env, env) {
		t.Errorf("the variables: got %q, want %q", app.Env, env)
	}
}

// While a job is in progress, a change is refused, and the values that were entered stay.
func TestBusyInstance(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.HoldJobs(fakeservice.JobMatch{Operation: "resize"}) // or a busy machine could ask after its end
	must.Get(s.StartJob(in.ID, "resize", ""))(t)
	page := fakeservicetest.SignIn(t, s).Open("/portal/instances/"+in.ID+"/settings").Submit("label", map[string]string{"name": "other"})
	if page.Status != http.StatusConflict || !strings.Contains(page.Text(), "job in progress") || page.Value("label", "name") != "other" {
		t.Errorf("a change during a job: got %d with %s, want 409 with the typed name", page.Status, page.Text())
	}
	if strings.Contains(page.HTML, "http-equiv") {
		t.Error("the page reloads itself without scripts, and the typed name is lost")
	}
	if page := fakeservicetest.SignIn(t, s).Open("/portal/instances/" + in.ID); !strings.Contains(page.HTML, `http-equiv="refresh"`) {
		t.Error("without scripts, the overview does not show the end of the job")
	}
}

// A list that was typed before the allowlist changed does not undo the change unnoticed.
func TestAllowlistChangesMeanwhile(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	path := "/portal/instances/" + in.ID + "/allowlist"
	old := fakeservicetest.SignIn(t, s).Open(path)
	must.Get(s.SetAllowlist(in.ID, []string{"192.0.2.1"}))(t)
	s.Advance(time.Minute)
	refused := old.Submit("allowlist", map[string]string{"allowlist": "198.51.100.1"})
	if refused.Status != http.StatusUnprocessableEntity || !strings.Contains(refused.Text(), "has changed since") || refused.Value("allowlist", "allowlist") != "198.51.100.1" {
		t.Errorf("a list typed before a change: got %d with %s, want 422 with the typed list", refused.Status, refused.Text())
	}
	if again := refused.Submit("allowlist", nil); again.Status != http.StatusOK {
		t.Errorf("the second time: got %d with %s, want 200", again.Status, again.Text())
	}
}

// A key is only shown on the page that its form leads to, and not on a page that is
// opened before that in another tab.
func TestKeyIsShownWhereItWasMade(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cookie, token := s.signIn(t)
	mine := http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}
	made := s.send(t, "POST", "/portal/access", mine.Clone(), url.Values{"name": {"ci"}, "csrf": {token}})
	if made.status != http.StatusSeeOther || made.header.Get("Location") != "/portal/access" {
		t.Fatalf("creation of an access key: got %d, want 303 to /portal/access", made.status)
	}
	for _, row := range []struct {
		path  string
		shown bool
	}{{"/portal/instances", false}, {"/portal/access", true}, {"/portal/access", false}} {
		if page := s.send(t, "GET", row.path, mine.Clone(), nil).page; strings.Contains(page, `id="secret"`) != row.shown {
			t.Errorf("the key in %s: got it shown: %t, want %t", row.path, !row.shown, row.shown)
		}
	}
}

// The page of the connection record hides secrets until the user reveals them.
func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	v := fakeservicetest.SignIn(t, s)
	hidden := v.Open("/portal/instances/" + in.ID + "/connection")
	record := must.Get(s.Connection(t.Context(), in.ID))(t)
	shown := hidden.Submit("reveal", nil)
	e := record.Engines
	for _, secret := range []string{e.Postgres.OwnerURL, e.Postgres.ReadOnlyURL, e.Redis.URL, e.CouchDB.URL, e.NATS.URL, e.Auth.ServiceKey} {
		if strings.Contains(hidden.Text(), secret) {
			t.Errorf("%s is shown", secret)
		}
		if !strings.Contains(shown.Text(), secret) {
			t.Errorf("%s is not shown", secret)
		}
	}
	if !strings.Contains(hidden.Text(), e.Auth.AnonKey) || strings.Contains(v.Open("/portal/instances/"+in.ID+"/connection").Text(), e.Auth.ServiceKey) {
		t.Error("the anon key is hidden, or the secrets stay shown")
	}
}

// Each page of an instance can be opened in each state of the instance, and says what
// cannot be read yet.
func TestPagesOfInstancesThatDoNotRun(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	v := fakeservicetest.SignIn(t, s)
	for _, plan := range []string{"free", "small"} {
		v.Open("/portal/instances/new").Submit("create", map[string]string{"name": plan, "plan": plan, "engines.postgres": "on"})
	}
	s.AddInstance(fakeservice.Instance{Name: "failed", Status: fakeservice.StatusFailed})
	s.AddInstance(fakeservice.Instance{Name: "bare"})
	for _, in := range s.Instances() {
		at := "/portal/instances/" + in.ID
		for _, tab := range []string{"", "/engines", "/apps", "/databases", "/console", "/auth", "/allowlist", "/connection", "/backups", "/settings"} {
			if page := v.Open(at + tab); page.Status != http.StatusOK || page.Find("aria-current", "page") == nil {
				t.Errorf("%s of %s: got %d %s, want 200 with a current tab", tab, in.Name, page.Status, page.Text())
			}
		}
		if in.Status == fakeservice.StatusCreating {
			if page := v.Open(at + "/connection"); page.HasForm("reveal") || !strings.Contains(page.Text(), "has no connection record yet") {
				t.Errorf("the connection page of %s: got %s, want no record yet", in.Name, page.Text())
			}
		}
	}
	if page := v.Open("/portal/instances/" + s.Instances()[1].ID); !strings.Contains(page.Text(), "Finish the checkout") {
		t.Errorf("the page of an instance with a paid plan: got %s, want the checkout", page.Text())
	}
}

// An endpoint's page shows the deliveries, the answers, and the next attempt. An answer
// is shown as text, even if it is HTML. The form on the page enables a disabled endpoint.
func TestDeliveriesAreShown(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t, fakeservicetest.Delivering(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<script>alert(1)</script>", http.StatusInternalServerError)
	})))
	address := "https://hooks.example/x"
	hook := must.Get(s.CreateWebhook(core.WebhookChange{URL: &address}))(t)
	at := "/portal/integrations/" + hook.ID
	v := fakeservicetest.SignIn(t, s)
	v.Open(at).Submit("test", nil)
	s.Advance(0) // the first attempt
	list, err := s.Deliveries(hook.ID)
	if err != nil || len(list) != 1 {
		t.Fatalf("the deliveries: got %+v and error %v, want one", list, err)
	}
	page := v.Open(at)
	// The text of the page would not contain an HTML element.
	for _, want := range []string{list[0].ID, "500", "<script>alert(1)</script>", `"type":"test"`} {
		if !strings.Contains(page.Text(), want) {
			t.Errorf("the page of the endpoint: got %s, want %s in it", page.Text(), want)
		}
	}
	if page.Find("datetime", list[0].NextAttemptAt.UTC().Format(time.RFC3339)) == nil {
		t.Errorf("the page of the endpoint: got %s, want the time of the next attempt", page.Text())
	}
	if strings.Contains(page.Text(), hook.Secret) {
		t.Error("the page has the secret")
	}
	for range 3 { // twenty failures in a row disable it
		v.Open(at).Submit("test", nil)
		s.Advance(24 * time.Hour)
	}
	if page := v.Open(at); !page.HasForm("enable") || !strings.Contains(page.Text(), "given up") {
		t.Errorf("the page of the disabled endpoint: got %s, want the form enable and a delivery that was given up", page.Text())
	}
	if page := v.Open(at).Submit("test", nil); !strings.Contains(page.Text(), "the endpoint is disabled") {
		t.Errorf("a test event of a disabled endpoint: got %s, want that the endpoint is disabled", page.Text())
	}
	v.Open(at).Submit("enable", nil)
	if page := v.Open(at); page.HasForm("enable") {
		t.Errorf("the page of the enabled endpoint: got %s, want no form enable", page.Text())
	}
}

// A form about a missing app is refused for the same reason as in the API, which is the
// job in progress.
func TestRefusalOfAFormWithoutAPage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.core.AddInstance(core.Instance{Name: "busy"}).ID
	s.core.HoldJobs(core.JobMatch{Operation: "update"}) // or a busy machine could ask after its end
	must.Get(s.core.StartJob(id, "update", ""))(t)
	cookie, token := s.signIn(t)
	header := http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}
	got := s.send(t, "POST", "/portal/instances/"+id+"/apps/none/restart", header, url.Values{"csrf": {token}})
	if got.status != http.StatusConflict || !strings.Contains(got.page, "has a job in progress") {
		t.Errorf("the form: got %d %s, want 409 with a job in progress", got.status, got.page)
	}
}
