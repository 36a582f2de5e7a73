package verification

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

var pictures = flag.String("portal.screenshots", "", "folder for pictures of the portal's pages")

// person is a user of the portal with a browser.
type person struct {
	t *testing.T
	s *fakeservicetest.Server
	*browser
}

func comeToPortal(t *testing.T, opts ...func(*fakeservice.Options)) *person {
	t.Helper()
	program := FindChromium()
	if program == "" {
		machine.Lacks(t, "there is no Chromium")
	}
	s := fakeservicetest.Start(t, opts...)
	b := must.Get(openBrowser(context.WithoutCancel(t.Context()), program, machine.Patience))(t)
	t.Cleanup(func() {
		must.Report(t, b.close())
	})
	return &person{t, s, b}
}

// does performs actions of a person, which must succeed.
func (p *person) does(what string, acts ...act) {
	p.t.Helper()
	must.Do(p.t, p.do(what, acts...))
}

// refused is like does for actions that end in a page with an error status, which the
// browser reports.
func (p *person) refused(what string, status int, acts ...act) {
	p.t.Helper()
	err := p.do(what, acts...)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, complaint := range p.complaints {
		if !strings.Contains(complaint, fmt.Sprintf("status of %d", status)) {
			p.t.Fatal(err)
		}
	}
	if err != nil && len(p.complaints) == 0 {
		p.t.Fatal(err)
	}
	p.complaints = nil
}

func (p *person) open(path string) act {
	return chromedp.Steps(chromedp.Navigate(p.s.RootURL+path), chromedp.WaitVisible(chromedp.CSS("main")))
}

func says(text string) act { return until(fmt.Sprintf("document.body.innerText.includes(%q)", text)) }

func at(path string) act { return until(fmt.Sprintf("location.pathname === %q", path)) }

func typing(id, text string) act { return chromedp.SendKeys(chromedp.CSS("#"+id), text) }

// submit sends a form and waits for the page that answers. A live page may show the outcome
// before it is left.
func submit(form string) act {
	return chromedp.Steps(until("document.isLeft = true"), click("#"+form+" button[type=submit]"), until("document.isLeft === undefined"))
}

func (p *person) signsIn() {
	p.t.Helper()
	account := must.Get(p.s.Account(p.t.Context()))(p.t)
	p.does("sign in", p.open("/portal/"), says("Sign in"), typing("sign-in-email", account.Email),
		typing("sign-in-password", p.s.PortalPassword()), submit("sign-in"), at("/portal/instances"))
}

// asks returns the status with which the API answers a key.
func (p *person) asks(key string) int {
	p.t.Helper()
	request := must.Get(http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.s.BaseURL+"/me", nil))(p.t)
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	must.Do(p.t, err)
	response.Body.Close()
	return response.StatusCode
}

// A person signs in, buys an instance, follows its job, and creates and revokes a key. They
// add an endpoint, see its deliveries fail and enable it again. The console refuses them
// while it is off.
func TestPortalInABrowser(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	p := comeToPortal(t, fakeservicetest.Delivering(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			http.Error(w, "the receiver is not well", http.StatusInternalServerError)
		}
	})))
	p.signsIn()

	p.does("create an instance", p.open("/portal/instances/new"), typing("create-name", "shop"),
		chromedp.SetValue(chromedp.CSS("#create-plan"), "small"), click("#create-engines-postgres"),
		submit("create"), says("This instance waits for its checkout"))
	in := p.s.Instances()[0]
	page := "/portal/instances/" + in.ID
	p.does("check out", click(".notice a.button"), says("9.00 EUR a month"), submit("pay"), says("Thank you"), click("main a"), at(page), says("creating"))
	// It is the same page until the end: a mark on it would not outlive a reload.
	p.does("see it run", until("(window.mark ??= 'here') === 'here' && document.querySelector('progress') !== null"))
	p.s.Advance(10 * time.Minute)
	p.does("see it run", until("window.mark === 'here' && document.querySelector('.head .badge').textContent === 'running' && document.querySelector('progress') === null"))

	p.refused("ask the console", http.StatusForbidden, p.open(page+"/console"), says("The console is off"), typing("query-sql", "SELECT 1"), submit("query"),
		says("The SQL console is off"), until("document.querySelector('#query-sql').value === 'SELECT 1'"))
	p.does("open the console", p.open(page+"/console"), click("#mode-mode-1"), submit("mode"), says("The console's mode is being set"))
	p.s.Advance(time.Minute)
	p.does("see it open", says("The console is read only"))

	p.does("make a key", p.open("/portal/access"), typing("key-name", "laptop"), submit("key"), chromedp.WaitVisible(chromedp.CSS("#secret")))
	key := must.Get(chromedp.Run(p.ctx, chromedp.Value(chromedp.CSS("#secret"))))(t)
	if got := p.asks(key); got != http.StatusOK {
		t.Errorf("the answer to the new key: got %d, want 200", got)
	}
	p.does("see it no more", chromedp.Reload(), says("laptop"), until("document.querySelector('#secret') === null"))
	keys := p.s.Keys()
	revoke := "revoke-" + keys[len(keys)-1].ID
	p.does("revoke it", click("#ask-"+revoke+" summary"), submit(revoke), says("The key is revoked"))
	if got := p.asks(key); got != http.StatusUnauthorized {
		t.Errorf("the answer to the revoked key: got %d, want 401", got)
	}

	p.s.RemoveInstance(in.ID) // the results of its daily verification would be delivered too
	p.does("add an endpoint", p.open("/portal/integrations"), typing("endpoint-url", "https://hooks.example/x"), submit("endpoint"), chromedp.WaitVisible(chromedp.CSS("#secret")))
	p.does("disable it", click("#endpoint-enabled"), submit("endpoint"), says("disabled"))
	p.does("enable it again", submit("enable"), says("The endpoint is enabled"))
	p.does("send a test event", submit("test"), says("The test event is on its way"), says("the receiver is not well"), says("next attempt"))
	p.does("look at its body", click(".activity details summary"), says(`"type":"test"`))
	p.s.Advance(24 * time.Hour)
	p.does("see it given up, with the body still unfolded", says("given up"), until("document.querySelector('.activity details').open"))
	for sent := range 3 { // with the first event, 24 failed attempts in a row
		p.does("send another", submit("test"), until(fmt.Sprintf("document.querySelectorAll('.activity > li').length === %d", sent+2)))
		p.s.Advance(24 * time.Hour)
	}
	p.does("see it disabled", says("disabled"), chromedp.WaitVisible(chromedp.CSS("#enable")))
	well.Store(true)
	p.does("enable it again", submit("enable"), says("The endpoint is enabled"), submit("test"), says("The test event is on its way"))
	p.s.Advance(0)
	p.does("see the delivery", says("delivered"))
	if hooks := p.s.Webhooks(); len(hooks) != 1 || !hooks[0].Enabled || hooks[0].ConsecutiveFailures != 0 {
		t.Errorf("the endpoints: got %+v, want one, enabled and without failures", hooks)
	}
	p.does("sign out", submit("sign-out"), at("/portal/sign-in"), p.open(page), says("Sign in"))
}

// consentPage registers an application and returns the path of its consent page.
func (p *person) consentPage(name, callback string) string {
	p.t.Helper()
	client := must.Get(p.s.RegisterClient(name, []string{callback}))(p.t)
	return "/portal/authorize?" + url.Values{
		"client_id": {client.ID}, "redirect_uri": {callback}, "response_type": {"code"}, "resource": {p.s.MCPURL}, "state": {"st"},
		"code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
	}.Encode()
}

// furnished returns a portal with content on each page, and the addresses of all pages.
func furnished(t *testing.T) (*person, []string) {
	t.Helper()
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			http.Error(w, "upstream connect error", http.StatusServiceUnavailable)
		}
	})
	p := comeToPortal(t, fakeservicetest.Delivering(receiver), func(o *fakeservice.Options) {
		o.Start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
		o.Querier = fakeservice.QuerierFunc(func(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
			return fakeservice.QueryResult{Columns: []string{"id", "email", "message"}, Rows: [][]any{
				{1, "ada@example.com", "Hello, world"}, {2, "grace@example.com", "It compiles."},
			}, RowCount: 2, Command: "SELECT"}, nil
		})
	})
	s := p.s
	shop := s.AddInstance(fakeservice.Instance{ID: "i-shop", Name: "shop", Plan: "medium", Tags: []string{"prod", "web"}, Allowlist: []string{"192.0.2.0/24"}, ConsoleMode: "rw",
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 1024}, "redis": {}, "apps": {}, "auth": {SiteURL: "https://shop.example", RedirectURLs: []string{"https://shop.example/**"}}}})
	s.AddInstance(fakeservice.Instance{ID: "i-metrics", Name: "metrics", Tags: []string{"internal"}, Engines: map[string]*fakeservice.Engine{"postgres": {}, "nats": {}}})
	s.AddInstance(fakeservice.Instance{ID: "i-lost", Name: "lost", Status: "failed"})
	s.AddDatabase(shop.ID, "stock")
	branch, port, public, endpoint := "main", 3000, true, "https://hooks.example/shop"
	must.Get(s.ImportApp(shop.ID, core.NewApp{Repo: "acme/shop", Name: "web", AppChange: core.AppChange{Branch: &branch,
		Port: &port, Public: &public, Env: &map[string]string{"GREETING": "Hello"}}}))(t)
	s.Advance(10 * time.Minute)
	defer s.FailBuilds(fakeservice.BuildMatch{App: "web"}, 1, "main.go:12: undefined: message\nexit status 1")()
	must.Get(s.RedeployApp(shop.ID, "web"))(t)
	s.Advance(25 * time.Hour)
	hook := must.Get(s.CreateWebhook(core.WebhookChange{URL: &endpoint}))(t)
	s.Emit("health_reset", shop.ID, nil)
	s.Advance(0)
	broken := "https://hooks.example/broken"
	must.Get(s.UpdateWebhook(hook.ID, core.WebhookChange{URL: &broken}))(t)
	must.Get(s.CreateKey("continuous integration"))(t)
	must.Get(s.GrantOAuth(core.OAuthConsent{ClientID: "https://agent.example/client.json", ClientName: "Agent"}))(t)
	must.Get(s.StartJob(shop.ID, "resize", ""))(t)
	s.Advance(24 * time.Second)
	furnishFake(t, s, shop.ID)
	p.signsIn()
	p.opensControls()
	app, _ := s.App(shop.ID, "web")
	at := "/portal/instances/" + shop.ID
	paths := []string{
		"/portal/instances", "/portal/instances/new", at, at + "/engines", at + "/apps", at + "/apps/web", at + "/apps/web/builds/" + app.Builds[0].ID,
		at + "/databases", at + "/console", at + "/auth", at + "/allowlist", at + "/connection", at + "/backups", at + "/settings",
		"/portal/instances/i-lost", "/portal/instances/i-lost/databases", "/portal/instances/i-lost/auth", "/portal/instances/i-lost/apps",
		"/portal/jobs/" + s.Jobs()[0].ID, "/portal/plans", "/portal/billing", "/portal/access", "/portal/integrations", "/portal/integrations/" + hook.ID, "/portal/profile",
		p.consentPage("Agent", "http://127.0.0.1:5000/callback"),
		"/portal/fake/mails", "/portal/fake/requests", "/portal/fake/requests?status=4&path=/instances/**", "/portal/fake/requests/1", "/portal/fake/requests/3", "/portal/fake/controls", "/openapi", "/_fake/",
	}
	return p, paths
}

// furnishFake adds mails, requests, holds, faults and a snapshot.
func furnishFake(t *testing.T, s *fakeservicetest.Server, instance string) {
	t.Helper()
	s.SendMail(core.Mail{InstanceID: instance, To: "ada@example.com", Code: "204518", Link: "http://127.83.196.173:9999/auth/v1/verify?token=pkce_4kq2&type=invite&redirect_to=https%3A%2F%2Fshop.example"})
	s.SendMail(core.Mail{InstanceID: instance, To: "grace@example.com", Code: "771290", Link: "http://127.83.196.173:9999/auth/v1/verify?token=pkce_9xw1&type=recovery&redirect_to=https%3A%2F%2Fshop.example"})
	send := func(method, path string, body any) { s.Send(t, method, path, body) }
	send("GET", "/instances/"+instance+"/connection", nil)
	send("POST", "/webhooks", map[string]string{"url": "https://hooks.example/more", "secret": "a secret of the endpoint"})
	send("PATCH", "/instances/"+instance, map[string]any{"name": "store", "tags": []string{"prod", "web"}})
	send("GET", "/instances/i-unknown", nil)
	s.Inject(fakeservice.Fault{Method: "PUT", Status: 503, AfterCommit: true})
	send("PUT", "/instances/i-metrics/allowlist", map[string]any{"allowlist": []string{"192.0.2.1"}})
	s.Inject(fakeservice.Fault{Path: "/plans", Drop: true})
	send("GET", "/me", nil)
}

// opensControls enters the control token, and adds something to each part of the page.
func (p *person) opensControls() {
	p.t.Helper()
	p.does("open the controls", p.open("/portal/fake/controls"), typing("token-token", p.s.ControlToken()), submit("token"), says("The controls are open"))
	p.does("hold jobs", typing("jobs-operation", "resize"), submit("jobs"), says("The jobs are held"))
	p.does("install a fault", typing("faults-path", "/portal-docs/**"), submit("faults"), says("The fault is installed"))
	p.does("take a snapshot", typing("snapshots-name", "before-upgrade"), submit("snapshots"), says("The snapshot is taken"))
}

const audit = `axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations
	.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " " + n.failureSummary).join("; ")))`

// axe-core finds no violation in any page, in light and dark mode, wide and narrow;
// no page is wider than a phone.
func TestPortalIsAccessible(t *testing.T) {
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "../fakeservice/portal/accessibility")
	axe := must.Get(os.ReadFile(filepath.Join(folder, "node_modules/axe-core/axe.min.js")))(t)
	p, paths := furnished(t)
	steps := 0
	look := func(path string) {
		t.Helper()
		// Its text is visible before its style is loaded.
		p.does("see all of "+path, until("document.readyState === 'complete'"))
		for _, s := range []screen{{"narrow-dark", 390, 844, "dark"}, {"desktop", 1280, 900, "light"}} {
			p.does("look at "+path, s.emulate()...)
			if wide, err := chromedp.Run(p.ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth - innerWidth")); err != nil || wide > 0 {
				t.Errorf("%s: got %d pixels more than the screen of %d (%v), want none", path, wide, s.width, err)
			}
			must.Get(chromedp.Run(p.ctx, chromedp.Evaluate[any](string(axe)+"; true")))(t)
			violations := must.Get(chromedp.Run(p.ctx, chromedp.Evaluate[[]string](audit, chromedp.EvalAwaitPromise)))(t)
			steps++
			for _, violation := range violations {
				t.Errorf("%s, %s: got the violation %s, want none", path, s.name, violation)
			}
		}
	}
	paid := must.Get(p.s.CreateInstance(core.NewInstance{Name: "paid", Plan: "small", Region: "eu-north"}, p.s.RootURL))(t)
	p.s.AppFailed("i-shop", "web", core.AppFailure{Status: 503, Log: "connection refused"})
	for _, path := range append(paths, strings.TrimPrefix(paid.CheckoutURL, p.s.RootURL), "/guides/apps") {
		// Questions are unfolded, as by a person who is about to answer them.
		p.does("open "+path, p.open(path), until("([...document.querySelectorAll('.ask')].forEach((ask) => ask.open = true), true)"))
		look(path)
	}
	p.does("run a statement", p.open("/portal/instances/i-shop/console"), typing("query-sql", "SELECT * FROM guestbook_entries"), submit("query"), says("Hello, world"))
	look("the result of a statement")
	p.refused("send a form that is wrong", http.StatusUnprocessableEntity, p.open("/portal/access"), typing("key-name", " "), submit("key"), says("characters"))
	look("a form that was refused")
	p.does("make a key", p.open("/portal/access"), typing("key-name", "one"), submit("key"), chromedp.WaitVisible(chromedp.CSS("#secret")))
	look("a key that is shown once")
	p.refused("open what is not there", http.StatusNotFound, p.open("/portal/nowhere"))
	look("a page that is not there")
	p.refused("open a checkout that is not there", http.StatusNotFound, p.open("/checkout/none"))
	look("a checkout")
	p.does("sign out", p.open("/portal/profile"), submit("sign-out"), at("/portal/sign-in"))
	look("the sign-in")
	fakeservicetest.CountClient(t, "axe-core", steps)
}

// The pictures of the documentation can be taken again, each with its screen's size, and
// the folder has no other pictures. `make portal-screenshots` writes them there.
func TestPortalScreenshots(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	p, _ := furnished(t)
	for _, one := range []struct {
		name, path string
		screens    []screen
	}{
		{"instances", "/portal/instances", []screen{desktop, night, phone, phoneNight}},
		{"instance", "/portal/instances/i-shop", []screen{desktop, night, phone, phoneNight}},
		{"app", "/portal/instances/i-shop/apps/web", []screen{desktop, phoneNight}},
		{"engines", "/portal/instances/i-shop/engines", []screen{night, phone}},
		{"console", "", []screen{desktop, phoneNight}},
		{"access", "/portal/access", []screen{desktop, phone}},
		{"consent", p.consentPage("Agent", "http://127.0.0.1:5000/callback"), []screen{desktop, phoneNight}},
		{"integrations", "/portal/integrations", []screen{night, phone}},
		{"endpoint", "/portal/integrations/" + p.s.Webhooks()[0].ID, []screen{desktop, phoneNight}},
		{"settings", "/portal/instances/i-shop/settings", []screen{desktop, phoneNight}},
		{"requests", "/portal/fake/requests", []screen{desktop}},
		{"controls", "/portal/fake/controls", []screen{desktop}},
		{"sign-in", "/portal/sign-in", []screen{desktop, phoneNight}},
	} {
		switch one.name {
		case "console":
			p.does("run a statement", p.open("/portal/instances/i-shop/console"), typing("query-sql", "SELECT * FROM guestbook_entries"), submit("query"), says("Hello, world"))
		case "sign-in":
			p.does("sign out", p.open("/portal/profile"), submit("sign-out"), at("/portal/sign-in"))
		default:
			p.does("open "+one.name, p.open(one.path))
		}
		for _, s := range one.screens {
			p.does("take a picture", append(s.emulate(), chromedp.EmulateViewport(s.width, s.height))...)
			picture := must.Get(chromedp.Run(p.ctx, chromedp.CaptureScreenshot()))(t)
			name := one.name + "-" + s.name + ".png"
			size, err := png.DecodeConfig(bytes.NewReader(picture))
			if err != nil || int64(size.Width) != s.width || int64(size.Height) != s.height {
				t.Errorf("%s: got %d by %d (%v), want %d by %d", name, size.Width, size.Height, err, s.width, s.height)
			}
			must.Do(t, os.WriteFile(filepath.Join(folder, name), picture, 0o644))
		}
	}
	if have, want := namesIn(t, "../../cmd/fakeservice/screenshots"), namesIn(t, folder); !slices.Equal(have, want) {
		t.Errorf("the pictures of the documentation: got %v, want those that were taken, %v", have, want)
	}
}

// namesIn returns the sorted names of a folder's entries.
func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

var (
	desktop    = screen{"desktop", 1200, 860, "light"}
	night      = screen{"desktop-dark", 1200, 860, "dark"}
	phone      = screen{"phone", 390, 800, "light"}
	phoneNight = screen{"phone-dark", 390, 800, "dark"}
)
