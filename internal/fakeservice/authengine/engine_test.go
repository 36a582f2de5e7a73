package authengine

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	b := start(t)
	anon, service := b.settings.Load().AnonKey, b.settings.Load().ServiceKey
	for what, row := range map[string]struct {
		path   string
		header map[string]string
		status int
		code   string
	}{
		"none":                 {"/settings", nil, 401, "no_api_key"},
		"made up":              {"/settings", map[string]string{"apikey": "x"}, 401, "invalid_api_key"},
		"signed but not given": {"/settings", map[string]string{"apikey": keyOf("anon", "2")}, 401, "invalid_api_key"},
		"header":               {"/settings", map[string]string{"apikey": anon}, 200, ""},
		"bearer":               {"/settings", map[string]string{"Authorization": "Bearer " + anon}, 200, ""},
		"bearer in any case":   {"/settings", map[string]string{"Authorization": "bearer  " + anon}, 200, ""},
		"service":              {"/settings", map[string]string{"apikey": service}, 200, ""},
		"health needs none":    {"/health", nil, 200, ""},
		"admin by anon":        {"/admin/users", map[string]string{"apikey": anon}, 403, "not_admin"},
		"admin by service":     {"/admin/users", map[string]string{"apikey": service, "Authorization": "Bearer " + service}, 200, ""},
		"nowhere":              {"/nowhere", map[string]string{"apikey": anon}, 404, "not_found"},
	} {
		t.Run(what, func(t *testing.T) { b.must(b.send("GET", row.path, row.header, nil), row.status, row.code) })
	}
	// After a rotation, the old service key is rejected and the anon key still works.
	rotated := *b.settings.Load()
	rotated.ServiceKey = keyOf("service_role", "2")
	b.Configure(rotated)
	b.mustAll(
		expected{b.send("GET", "/admin/users", map[string]string{"apikey": service}, nil), 401, "invalid_api_key"},
		expected{b.send("GET", "/admin/users", map[string]string{"apikey": rotated.ServiceKey}, nil), 200, ""},
		expected{b.send("GET", "/settings", map[string]string{"apikey": anon}, nil), 200, ""},
	)
}

func TestCORS(t *testing.T) {
	t.Parallel()
	b := start(t)
	preflight := b.send(http.MethodOptions, "/token", map[string]string{
		"Origin": "http://127.9.9.9:3000", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "apikey,content-type",
	}, nil)
	if preflight.status != 204 {
		t.Errorf("the preflight: got status %d, want 204", preflight.status)
	}
	for _, r := range []reply{preflight, b.call("GET", "/settings", "", nil), b.call("GET", "/user", "", nil)} {
		if r.header.Get("Access-Control-Allow-Origin") != "*" || r.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("the headers of an answer of status %d: got %v, want any origin allowed, without credentials", r.status, r.header)
		}
		if !strings.Contains(r.header.Get("Access-Control-Allow-Headers"), "apikey") {
			t.Errorf("the allowed headers: got %q, want apikey among them", r.header.Get("Access-Control-Allow-Headers"))
		}
	}
}

// Accounts and sessions outlive restarts of the engine and of Postgres, and the address
// stays the same. Requests wait for a database that is restarting.
func TestRestarts(t *testing.T) {
	t.Parallel()
	b := start(t)
	before := b.URL()
	made := b.signUp("ada@example.test")
	must.Do(t, b.Restart(t.Context()))
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 200, "")
	// The pool's connections are cut, as if the server had ended.
	b.in("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 200, "")
	b.must(b.signIn("ada@example.test", testPassword), 200, "")
	if b.URL() != before {
		t.Errorf("the address: got %s, want %s", b.URL(), before)
	}
}

// Without its database the engine answers that it is unavailable, and it recovers by
// itself.
func TestDatabaseThatIsGone(t *testing.T) {
	t.Parallel()
	b := start(t)
	good := *b.settings.Load()
	gone := good
	gone.DSN = "postgresql://owner:secret-password@127.0.0.1:1/main?sslmode=disable"
	b.Configure(gone)
	r := b.must(b.signIn("ada@example.test", testPassword), 503, "unavailable")
	if r.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to try again")
	}
	b.Configure(good)
	b.must(b.signIn("ada@example.test", testPassword), 400, "invalid_credentials")
	if _, err := Start(t.Context(), Options{Settings: gone, Address: "127.0.0.1:0"}); err == nil || strings.Contains(err.Error(), "secret-password") {
		t.Errorf("Start without a database: got error %v, want one without the password", err)
	}
}

func TestClosedEngine(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.halt()
	b.must(b.send("GET", "/health", nil, nil), 503, "unavailable")
	must.Do(t, b.Close())
	if response, err := http.Get(b.URL() + "/health"); err == nil {
		response.Body.Close()
		t.Errorf("the closed engine: got status %d, want no answer", response.StatusCode)
	}
}

func TestAdmin(t *testing.T) {
	t.Parallel()
	b := start(t)
	service := map[string]string{"apikey": b.settings.Load().ServiceKey}
	if empty := b.must(b.send("GET", "/admin/users", service, nil), 200, ""); len(empty.body["users"].([]any)) != 0 {
		t.Errorf("the users without any account: got %v, want none", empty.body)
	}
	token := b.signUp("a@example.test").text("access_token")
	for _, name := range []string{"b", "c"} {
		b.signUp(name + "@example.test")
	}
	// The newest accounts come first, so the second page has only the first account.
	page := b.must(b.send("GET", "/admin/users?page=2&per_page=2", service, nil), 200, "")
	users := page.body["users"].([]any)
	if len(users) != 1 || page.header.Get("X-Total-Count") != "3" {
		t.Fatalf("the second page: got %v of %s users, want one user of 3", page.body, page.header.Get("X-Total-Count"))
	}
	for asked, want := range map[string]string{
		"?page=2&per_page=2": `</auth/v1/admin/users?page=2&per_page=2>; rel="last"`,
		"?per_page=1":        `</auth/v1/admin/users?page=2&per_page=1>; rel="next", </auth/v1/admin/users?page=3&per_page=1>; rel="last"`,
		"?page=&per_page=":   `</auth/v1/admin/users?page=1&per_page=>; rel="last"`,
	} {
		if got := b.send("GET", "/admin/users"+asked, service, nil).header.Get("Link"); got != want {
			t.Errorf("the links of %s: got %s, want %s", asked, got, want)
		}
	}
	id := users[0].(map[string]any)["id"].(string)
	for _, wrong := range []string{"page=0", "per_page=0", "per_page=1001", "page=x"} {
		b.must(b.send("GET", "/admin/users?"+wrong, service, nil), 400, "validation_failed")
	}
	b.must(b.send("GET", "/admin/users/"+id, service, nil), 200, "")
	b.must(b.send("DELETE", "/admin/users/"+id, service, nil), 200, "")
	for _, method := range []string{"GET", "DELETE"} {
		b.must(b.send(method, "/admin/users/"+id, service, nil), 404, "user_not_found")
		b.must(b.send(method, "/admin/users/nobody", service, nil), 404, "user_not_found")
	}
	b.must(b.call("GET", "/user", token, nil), 403, "session_not_found")
	if events := b.told(); len(events) != 4 || events[3].Kind != "auth_user_deleted" || events[3].UserID != id {
		t.Errorf("the events: got %v, want 4, the last an auth_user_deleted of %v", events, id)
	}
}

// A link signs its owner in once, and leads only to a target that the settings allow.
func TestLinks(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("ada@example.test")
	link := func(redirect string) string {
		t.Helper()
		b.must(b.call("POST", "/recover"+query("redirect_to", redirect), "", map[string]any{"email": "ada@example.test"}), 200, "")
		events := b.told()
		sent := events[len(events)-1]
		if sent.Kind != "auth_link_sent" {
			t.Fatalf("the last event: got %v, want auth_link_sent", sent)
		}
		return strings.TrimPrefix(sent.Link, b.URL())
	}
	follow := func(path string) *url.URL {
		t.Helper()
		r := b.must(b.send("GET", path, nil, nil), 303, "")
		return must.Get(url.Parse(r.header.Get("Location")))(t)
	}
	path := link("https://app.example/reset?x=1")
	to := follow(path)
	fragment, _ := url.ParseQuery(to.Fragment)
	if !strings.HasPrefix(to.String(), "https://app.example/reset?x=1#") || fragment.Get("type") != "recovery" {
		t.Errorf("the target of the link: got %s, want https://app.example/reset?x=1 with the type recovery", to)
	}
	b.must(b.call("PUT", "/user", fragment.Get("access_token"), map[string]any{"password": "a new password"}), 200, "")
	b.must(b.signIn("ada@example.test", "a new password"), 200, "")

	if again, _ := url.ParseQuery(follow(path).Fragment); again.Get("error_code") != "otp_expired" || again.Get("access_token") != "" {
		t.Errorf("a link that is used again: got %v, want the error otp_expired and no token", again)
	}
	if to := follow(link("https://evil.example/")); to.Host != "app.example" {
		t.Errorf("the target of a link to another host: got %s, want app.example", to)
	}
	// A link with an altered target does not lead elsewhere either.
	altered, _ := url.Parse(link("https://app.example/"))
	values := altered.Query()
	values.Set("redirect_to", "https://evil.example/")
	if to := follow("/verify?" + values.Encode()); to.Host != "app.example" {
		t.Errorf("the target of an altered link: got %s, want app.example", to)
	}
	old := link("")
	b.in("UPDATE auth.one_time_tokens SET created_at = now() - interval '2 hours'")
	if late, _ := url.ParseQuery(follow(old).Fragment); late.Get("error_code") != "otp_expired" {
		t.Errorf("an old link: got %v, want the error otp_expired", late)
	}
	// A new password invalidates earlier links.
	token := b.must(b.signIn("ada@example.test", "a new password"), 200, "").text("access_token")
	old = link("")
	b.must(b.call("PUT", "/user", token, map[string]any{"password": "yet another password"}), 200, "")
	if late, _ := url.ParseQuery(follow(old).Fragment); late.Get("error_code") != "otp_expired" {
		t.Errorf("a link from before a change of the password: got %v, want the error otp_expired", late)
	}
	// So does the next link.
	old = link("")
	link("")
	if late, _ := url.ParseQuery(follow(old).Fragment); late.Get("error_code") != "otp_expired" {
		t.Errorf("a link that another one followed: got %v, want the error otp_expired", late)
	}
	// The next link deletes expired ones.
	link("")
	b.in("UPDATE auth.one_time_tokens SET created_at = now() - interval '2 hours'")
	link("")
	b.in("DO $$ BEGIN IF (SELECT count(*) FROM auth.one_time_tokens) <> 1 THEN RAISE 'links are left'; END IF; END $$")
	none := *b.settings.Load()
	none.SiteURL, none.RedirectURLs = "", nil
	b.Configure(none)
	b.must(b.call("POST", "/recover", "", map[string]any{"email": "ada@example.test"}), 400, "validation_failed")
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	s := &Settings{
		SiteURL: "https://site.example/home",
		RedirectURLs: []string{
			"https://app.example/**", "https://*.preview.example", "http://127.0.0.1:3000/cb?", "https://one.example/a/*", "myapp://callback",
		},
	}
	for wanted, ok := range map[string]bool{
		"https://site.example/anything":             true,
		"https://app.example":                       true,
		"https://app.example/a/b?c=d#e":             true,
		"https://app.example.evil.example/":         false,
		"https://app.example@evil.example/":         false,
		"https://evil.example/https://app.example/": false,
		"http://app.example/":                       false,
		"https://app.example:444/":                  false,
		"https://x.preview.example/":                true,
		"https://x.y.preview.example/":              false,
		"https://x.preview.example/deep":            false,
		"http://127.0.0.1:3000/cb1":                 true,
		"http://127.0.0.1:3000/cb12":                false,
		"https://one.example/a/b":                   true,
		"https://one.example/a/b/c":                 false,
		"https://one.example/a/../b":                false,
		"https://app.example/%2e%2e/x":              false,
		"https://app.example\\@evil.example/":       false,
		"//evil.example/":                           false,
		"/relative":                                 false,
		"javascript:alert(1)":                       false,
		"myapp://callback":                          true,
	} {
		if got := allowed(s, wanted); got != ok {
			t.Errorf("allowed(%q): got %t, want %t", wanted, got, ok)
		}
	}
}

func TestTokensExpire(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *Options) { o.TokenLife = time.Second })
	made := b.signUp("ada@example.test")
	machine.Until(t, "the token expires", func() bool { return b.call("GET", "/user", made.text("access_token"), nil).status != 200 })
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 403, "bad_jwt")
	b.must(b.refresh(made.text("refresh_token")), 200, "")
}
