package portal_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The document is served as JSON, and as a page with every operation. Each link in the page
// has a target. Neither needs a sign-in.
func TestDocument(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	v := fakeservicetest.Visit(t, s)
	var served struct {
		OpenAPI string
		Paths   map[string]map[string]any
	}
	plain := v.Open("/openapi.json")
	if err := json.Unmarshal([]byte(plain.HTML), &served); err != nil || plain.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("the document in JSON: got error %v and the type %q, want none and application/json", err, plain.Header.Get("Content-Type"))
	}
	page := v.Open("/openapi")
	operations := must.Get(apispec.Operations())(t)
	for _, o := range operations {
		if served.Paths[o.Path][strings.ToLower(o.Method)] == nil {
			t.Errorf("the document in JSON lacks %s", o)
		}
		if !strings.Contains(page.HTML, "-title\"><code>"+o.String()+"</code>") {
			t.Errorf("the page lacks %s", o)
		}
	}
	links := strings.Split(page.HTML, `href="#`)
	if len(links) < 2*len(operations) {
		t.Errorf("links in the page: got %d, want more than %d", len(links), 2*len(operations))
	}
	for _, rest := range links[1:] {
		if id, _, _ := strings.Cut(rest, `"`); page.Find("id", id) == nil {
			t.Errorf("a link leads to #%s, which the page lacks", id)
		}
	}
	for _, words := range []string{"Idempotency-Key string in the header", "array of Backup", `enum "daily", "undo"`, "502, 503, 504", "Settled by this project", "object of names to string"} {
		if !strings.Contains(page.Text(), words) {
			t.Errorf("the page lacks %q", words)
		}
	}
}

// Without a sign-in, the pages with data lead to the sign-in.
func TestFakePagesNeedASession(t *testing.T) {
	t.Parallel()
	v := fakeservicetest.Visit(t, fakeservicetest.Start(t))
	for _, path := range []string{"/mails", "/requests", "/requests/1", "/controls"} {
		if page := v.Open("/portal/fake" + path); page.Path() != "/portal/sign-in" {
			t.Errorf("%s without a session: got %d at %s, want the sign-in", path, page.Status, page.Path())
		}
	}
}

// The newest mail is the first, with its link and code.
func TestMails(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	v := fakeservicetest.SignIn(t, s)
	if page := v.Open("/portal/fake/mails"); !strings.Contains(page.Text(), "No mail yet.") || !strings.Contains(page.Text(), "Only the fake has these pages") {
		t.Errorf("the page without mails: got %s, want that there is no mail and that only the fake has the page", page.Text())
	}
	s.SendMail(core.Mail{InstanceID: "i-1", To: "ada@example.com", Link: "http://127.0.0.1:9999/auth/v1/verify?token=one&type=invite", Code: "123456"})
	s.SendMail(core.Mail{InstanceID: "i-1", Link: "javascript:alert(1)"})
	page := v.Open("/portal/fake/mails")
	first, second := strings.Index(page.Text(), "unknown address"), strings.Index(page.Text(), "ada@example.com")
	if first < 0 || second < first || !strings.Contains(page.Text(), "123456") {
		t.Errorf("the page of mails: got %s, want the unknown address before ada@example.com with 123456", page.Text())
	}
	if page.Find("href", "http://127.0.0.1:9999/auth/v1/verify?token=one&type=invite") == nil || page.Find("href", "javascript:alert(1)") != nil {
		t.Errorf("the links of the mails: got %s, want only the one of http", page.HTML)
	}
}

// secretsIn returns those of some secrets that pages show.
func secretsIn(pages []*fakeservicetest.Page, secrets ...string) (shown []string) {
	for _, page := range pages {
		for _, secret := range secrets {
			if strings.Contains(page.HTML, secret) {
				shown = append(shown, secret+" at "+page.Path())
			}
		}
	}
	return shown
}

// The inspector shows each request with its bodies and the reason of a refusal, and no
// secret. The log itself still has them.
func TestRequestsShowNoSecrets(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	key := must.Get(s.CreateKey("ci"))(t)
	connection := must.Get(s.Connection(t.Context(), in.ID))(t)
	send := func(method, path string, body any) { s.Send(t, method, path, body) }
	send("GET", "/instances/"+in.ID+"/connection", nil)
	send("POST", "/instances/"+in.ID+"/apps/import", map[string]any{
		"repo": "acme/web", "name": "web", "branch": "main", "port": 3000, "public": true, "env": map[string]string{"SHORT": "q1", "GREETING": "variable-value"},
	})
	s.Advance(time.Hour) // now the variables are known
	send("POST", "/webhooks", map[string]string{"url": "https://hooks.example/x?token=url-token", "secret": "hook-secret"})
	send("PATCH", "/me", map[string]string{"company": "variable-value " + key.Key, "name": "hook-secret", "address": "https://ada:hunter2@git.example/web"})
	send("POST", "/instances/"+in.ID+"/engines/postgres/query", map[string]string{"sql": "alter role app password 'sql-secret'"})
	send("GET", "/instances?cursor="+fakeservicetest.APIKey, nil)
	tokens, code := oauthSecrets(t, s)
	send("PATCH", "/me", map[string]string{"company": "tokens " + tokens.Access + ", " + tokens.Refresh, "name": code, "address": "http://127.0.0.1/cb?code_verifier=" + verifier})
	send("GET", "/instances?cursor="+code, nil)
	send("GET", "/instances/i-none", nil)

	v := fakeservicetest.SignIn(t, s)
	pages := []*fakeservicetest.Page{v.Open("/portal/fake/requests")}
	for _, e := range s.Entries() {
		pages = append(pages, v.Open("/portal/fake/requests/"+jsonText(e.Number)))
	}
	engines := connection.Engines
	_, ownerPassword, _ := strings.Cut(strings.Split(engines.Postgres.OwnerURL, "@")[0], "://")
	_, ownerPassword, _ = strings.Cut(ownerPassword, ":")
	secrets := []string{
		ownerPassword, engines.Auth.ServiceKey, "hunter2", "q1\"", "variable-value", "url-token", "hook-secret", "sql-secret", key.Key, fakeservicetest.APIKey,
		tokens.Access, tokens.Refresh, code, verifier, s.ControlToken(),
	}
	for _, page := range pages {
		if got := page.Header.Get("Cache-Control"); got != "no-store" || page.Status != http.StatusOK {
			t.Errorf("%s: got %d with Cache-Control %q, want 200 with no-store", page.Path(), page.Status, got)
		}
	}
	if shown := secretsIn(pages, secrets...); shown != nil {
		t.Errorf("secrets in the pages: got %q, want none", shown)
	}
	var logged strings.Builder
	for _, e := range s.Entries() {
		logged.WriteString(string(e.Body) + string(e.Answer) + e.Query)
	}
	for _, secret := range secrets[:len(secrets)-1] {
		if !strings.Contains(logged.String(), secret) {
			t.Errorf("%q was not in the log, so this test shows nothing", secret)
		}
	}
	if text := pages[0].Text(); !strings.Contains(text, "not_found : There is no instance") {
		t.Errorf("the list: got %s, want the reason of the refusal", text)
	}
	if text := pages[2].Text(); !strings.Contains(text, `"GREETING": "(hidden)"`) || !strings.Contains(text, `"port": 3000`) {
		t.Errorf("the request of the import: got %s, want a hidden GREETING and port 3000", text)
	}
}

// verifier is that of RFC 7636, appendix B.
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// oauthSecrets returns the tokens of an application, and a code that is not exchanged yet.
func oauthSecrets(t *testing.T, s *fakeservicetest.Server) (tokens core.OAuthTokens, code string) {
	t.Helper()
	consent := core.OAuthConsent{
		ClientID: "client", Resource: "http://fake/mcp", RedirectURI: "http://127.0.0.1/cb", Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
	}
	exchanged := must.Get(s.GrantOAuth(consent))(t)
	tokens = must.Get(s.ExchangeCode(core.CodeExchange{
		Code: exchanged, ClientID: consent.ClientID, RedirectURI: consent.RedirectURI, Verifier: verifier, Resource: consent.Resource,
	}))(t)
	code = must.Get(s.GrantOAuth(consent))(t)
	return tokens, code
}

func jsonText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// The list is filtered by method, path and status. A fault shows both statuses, and half a
// body is not shown.
func TestRequestFilters(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.Inject(fakeservice.Fault{Path: "/plans", Page: http.StatusBadGateway, AfterCommit: true})
	s.Inject(fakeservice.Fault{Path: "/instances/*/connection", Truncate: true})
	for _, path := range []string{"/plans", "/plans", "/me", "/instances/" + in.ID + "/connection", "/instances/i-none"} {
		s.Send(t, "GET", path, nil)
	}
	s.Send(t, "POST", "/webhooks", map[string]string{"url": "nowhere"})
	v := fakeservicetest.SignIn(t, s)
	for filter, want := range map[string]int{
		"": 6, "?method=POST": 1, "?path=/plans": 2, "?path=/instances/**": 2, "?status=4": 2, "?status=5": 1, "?status=fault": 2, "?status=none": 0,
		"?method=GET&path=/plans&status=2": 1, "?before=3": 2,
	} {
		page := v.Open("/portal/fake/requests" + filter)
		if got := strings.Count(page.HTML, `href="/portal/fake/requests/`); got != want || page.Status != http.StatusOK {
			t.Errorf("requests for %q: got %d with status %d, want %d with status 200", filter, got, page.Status, want)
		}
	}
	list := v.Open("/portal/fake/requests?path=/plans&status=5")
	if got := list.Value("filter", "path"); got != "/plans" || !strings.Contains(list.Text(), "the service answered 200") || list.Values("filter").Has("csrf") {
		t.Errorf("the filtered list: got path %q in %s, want /plans, the answer of the service and no token", got, list.Text())
	}
	if page := v.Open("/portal/fake/requests/4"); !strings.Contains(page.Text(), "it is not valid JSON, so secrets in it cannot be hidden") {
		t.Errorf("half a body: got %s, want that it is not valid JSON", page.Text())
	}
	if page := v.Open("/portal/fake/requests/7"); page.Status != http.StatusNotFound {
		t.Errorf("a request that is not in the log: got %d, want 404", page.Status)
	}
}

// Without the control token, a signed-in visitor cannot control the fake.
func TestControlsNeedTheToken(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	v := fakeservicetest.SignIn(t, s)
	page := v.Open("/portal/fake/controls")
	if page.HasForm("clock") || !page.HasForm("token") {
		t.Fatalf("the controls without the token: got %s, want only the form of the token", page.Text())
	}
	csrf := page.Values("token")
	csrf.Set("by", "1h")
	before := s.Now()
	if refused := v.Post("/portal/fake/controls/clock", csrf); refused.Status != http.StatusForbidden || s.Now().Sub(before) >= time.Hour {
		t.Errorf("the clock without the token: got %d, want 403 and an unchanged clock", refused.Status)
	}
	for _, wrong := range []string{"", "x", s.PortalPassword(), s.ControlToken() + "x"} {
		if refused := page.Submit("token", map[string]string{"token": wrong}); refused.Status != http.StatusUnprocessableEntity || refused.Complaint("token", "token") == "" || refused.HasForm("clock") {
			t.Errorf("a wrong token: got %d and %s, want 422 with a complaint and no controls", refused.Status, refused.Text())
		}
	}
	if opened := page.Submit("token", map[string]string{"token": s.ControlToken()}); !opened.HasForm("clock") {
		t.Errorf("the controls with the token: got %s, want the form of the clock", opened.Text())
	}
	form := v.Open("/portal/fake/controls").Values("clock")
	form.Set("csrf", "x")
	if forged := v.Post("/portal/fake/controls/clock", form); forged.Status != http.StatusForbidden || s.Now().Sub(before) >= time.Hour {
		t.Errorf("a form without the session's token: got %d, want 403 and an unchanged clock", forged.Status)
	}
	if other := fakeservicetest.SignIn(t, s).Open("/portal/fake/controls"); other.HasForm("clock") {
		t.Error("another session has the controls too")
	}
}

// Each form of the control page does what its control route does, also while a fault
// affects all requests.
func TestControls(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	v := fakeservicetest.SignIn(t, s)
	submit := func(form string, values map[string]string) *fakeservicetest.Page {
		t.Helper()
		page := v.Open("/portal/fake/controls").Submit(form, values)
		if page.Status != http.StatusOK {
			t.Fatalf("the form %s: got %d %s, want 200", form, page.Status, page.Text())
		}
		return page
	}
	submit("token", map[string]string{"token": s.ControlToken()})

	before := s.Now()
	submit("clock", map[string]string{"by": "2h"})
	if passed := s.Now().Sub(before); passed < 2*time.Hour {
		t.Errorf("the time that passed by the clock: got %s, want at least 2h", passed)
	}
	submit("weather", map[string]string{"weather": "storm", "seed": "7"})
	if now, seed := s.Weather(); now.String() != "storm" || seed != 7 {
		t.Errorf("weather: got %s with the seed %d, want storm with 7", now, seed)
	}
	submit("weather", map[string]string{"weather": "calm"})

	submit("jobs", map[string]string{"instance_id": in.ID, "operation": "resize"})
	must.Get(s.StartJob(in.ID, "resize", ""))(t)
	s.Advance(24 * time.Hour)
	if !s.Jobs()[0].InProgress() {
		t.Error("the job with a hold: got it ended, want it in progress")
	}
	submit("builds", map[string]string{"app": "web"})
	page := v.Open("/portal/fake/controls")
	if !strings.Contains(page.Text(), "instance "+in.ID+", operation resize") || !strings.Contains(page.Text(), "app web") {
		t.Errorf("the controls: got %s, want the holds of the resize and of web", page.Text())
	}
	submit("release-hold-1", nil)
	if s.Jobs()[0].InProgress() {
		t.Error("the job after the release: got it in progress, want it ended")
	}

	submit("faults", map[string]string{"effect": "page", "status": "502", "times": "-1"})
	if status, _ := s.Send(t, "GET", "/me", nil); status != http.StatusBadGateway {
		t.Errorf("a request with the fault: got %d, want 502", status)
	}
	page = v.Open("/portal/fake/controls")
	if !strings.Contains(page.Text(), "page 502; 1 of all requests affected") {
		t.Errorf("the controls: got %s, want the fault with page 502", page.Text())
	}
	submit("remove-fault-3", nil)
	if status, _ := s.Send(t, "GET", "/me", nil); status != http.StatusOK {
		t.Errorf("a request without the fault: got %d, want 200", status)
	}

	submit("snapshots", map[string]string{"name": "before"})
	s.RemoveInstance(in.ID)
	if page := v.Open("/portal/fake/controls"); !strings.Contains(page.Text(), "Everything created or changed since then") {
		t.Error("the restore of a snapshot does not say what is lost")
	}
	submit("restore-before", nil)
	if _, found := s.Instance(in.ID); !found {
		t.Error("the snapshot has not restored the instance")
	}
	if page = submit("delete-before", nil); page.HasForm("restore-before") {
		t.Error("the deleted snapshot is still there")
	}

	for form, wrong := range map[string]map[string]string{
		"clock": {"by": "soon"}, "weather": {"seed": "x"}, "faults": {"effect": "delay"}, "snapshots": {"name": "No"},
	} {
		if page := v.Open("/portal/fake/controls").Submit(form, wrong); page.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s with %v: got %d, want 422", form, wrong, page.Status)
		}
	}
}
