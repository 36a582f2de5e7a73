package portal_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Requests without a session, and forms that another site makes a browser send, change
// nothing and show nothing.
func TestWhoIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cookie, token := s.signIn(t)
	mine := cookie.Name + "=" + cookie.Value
	for name, row := range map[string]struct {
		method, path string
		header       http.Header
		token        string
		status       int
	}{
		"a page without a session":      {"GET", "/portal/access", nil, "", 303},
		"a form without a session":      {"POST", "/portal/access", nil, token, 303},
		"a stream without a session":    {"GET", "/portal/instances", http.Header{"Accept": {"text/event-stream"}}, "", 401},
		"a session that there is not":   {"POST", "/portal/access", http.Header{"Cookie": {cookie.Name + "=x"}}, token, 303},
		"a form without a token":        {"POST", "/portal/access", http.Header{"Cookie": {mine}}, "", 403},
		"another token":                 {"POST", "/portal/access", http.Header{"Cookie": {mine}}, "x" + token, 403},
		"the origin of another site":    {"POST", "/portal/access", http.Header{"Cookie": {mine}, "Origin": {"http://app.example:3000"}}, token, 403},
		"another port of this host":     {"POST", "/portal/access", http.Header{"Cookie": {mine}, "Origin": {"http://127.0.0.1:1"}}, token, 403},
		"an origin that is kept secret": {"POST", "/portal/access", http.Header{"Cookie": {mine}, "Origin": {"null"}}, token, 403},
		"an app of the same site":       {"POST", "/portal/access", http.Header{"Cookie": {mine}, "Sec-Fetch-Site": {"same-site"}}, token, 403},
		"a sign-in from another site":   {"POST", "/portal/sign-in", http.Header{"Sec-Fetch-Site": {"cross-site"}}, "", 403},
		"a token in the address":        {"POST", "/portal/access?csrf=" + token, http.Header{"Cookie": {mine}}, "", 403},
		"a change by reading":           {"GET", "/portal/access/key-1/revoke", http.Header{"Cookie": {mine}}, "", 404},
	} {
		values := url.Values{"name": {"stolen"}}
		if row.token != "" {
			values.Set("csrf", row.token)
		}
		response := s.send(t, row.method, row.path, row.header, values)
		if response.status != row.status {
			t.Errorf("%s: got %d, want %d", name, response.status, row.status)
		}
		if s.keys() != 0 || strings.Contains(response.page, "API keys") {
			t.Errorf("%s: got a key or the page of keys, want neither", name)
		}
	}
	if response := s.send(t, "POST", "/portal/access", http.Header{"Cookie": {mine}, "Origin": {s.URL}}, url.Values{"name": {"mine"}, "csrf": {token}}); response.status != 303 || s.keys() != 1 {
		t.Errorf("the session's own form: got %d and %d keys, want 303 and one", response.status, s.keys())
	}
}

func TestWrongSignIn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, row := range [][2]string{{"customer@example.com", ""}, {"customer@example.com", "The password"}, {"", "the password"}, {"other@example.com", "the password"}} {
		response := s.send(t, "POST", "/portal/sign-in", nil, url.Values{"email": {row[0]}, "password": {row[1]}})
		if response.status != http.StatusUnauthorized || len(response.cookies) != 0 || !strings.Contains(response.page, "is wrong") {
			t.Errorf("a sign-in as %q: got %d and %d cookies, want 401 and none", row, response.status, len(response.cookies))
		}
		if row[1] != "" && strings.Contains(response.page, `value="`+row[1]) || !strings.Contains(response.page, `value="`+row[0]) {
			t.Errorf("the page after a sign-in as %q: got %s, want only the e-mail kept", row, response.page)
		}
	}
}

// A session ends after it is idle, when it is old, and at a sign-out.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := serve(t)
	status := func(cookie *http.Cookie) int {
		response := s.send(t, "GET", "/portal/instances", http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}, nil)
		return response.status
	}
	idle, _ := s.signIn(t)
	if s.now = s.now.Add(29 * time.Minute); status(idle) != 200 {
		t.Error("a session that is idle for 29 minutes: got its end, want it valid")
	}
	if s.now = s.now.Add(30 * time.Minute); status(idle) != 303 {
		t.Error("an idle session did not end")
	}
	old, _ := s.signIn(t)
	for range 12*60/20 - 1 {
		if s.now = s.now.Add(20 * time.Minute); status(old) != 200 {
			t.Fatal("a session in use ended too early")
		}
	}
	if s.now = s.now.Add(20 * time.Minute); status(old) != 303 {
		t.Error("an old session did not end")
	}
	left, token := s.signIn(t)
	if response := s.send(t, "POST", "/portal/sign-out", http.Header{"Cookie": {left.Name + "=" + left.Value}}, url.Values{"csrf": {token}}); response.status != 303 || response.cookies[0].MaxAge >= 0 {
		t.Errorf("the sign-out: got %d with the cookies %v, want 303 and an expired cookie", response.status, response.cookies)
	}
	if status(left) != 303 {
		t.Error("the session did not end with the sign-out")
	}
}

// A browser shares the cookies of one host between all its ports, but a sign-in at one
// fake must not end the session at another.
func TestTwoFakesOnOneHost(t *testing.T) {
	t.Parallel()
	browser := must.Get(cookiejar.New(nil))(t)
	both := []*sites{serve(t), serve(t)}
	address := func(s *sites) *url.URL {
		return must.Get(url.Parse(s.URL + "/portal/instances"))(t)
	}
	for _, s := range both {
		cookie, _ := s.signIn(t)
		browser.SetCookies(address(s), []*http.Cookie{cookie})
	}
	for _, s := range both {
		header := http.Header{}
		for _, cookie := range browser.Cookies(address(s)) {
			header.Add("Cookie", cookie.Name+"="+cookie.Value)
		}
		if response := s.send(t, "GET", "/portal/instances", header, nil); response.status != http.StatusOK {
			t.Errorf("one of two fakes: got %d, want 200", response.status)
		}
	}
}

// Every page has the security headers, including refusals.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t)
	cookie, _ := s.signIn(t)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/portal" || cookie.Secure {
		t.Errorf("the cookie: got %+v, want a strict one for /portal that scripts cannot read", cookie)
	}
	for _, path := range []string{"/portal/sign-in", "/portal/instances", "/portal/access", "/portal/nowhere", "/checkout/none", "/portal/assets/portal.css", "/portal/assets/portal.js", "/portal/assets/page.js", "/portal/assets/"} {
		for _, header := range []http.Header{{"Cookie": {cookie.Name + "=" + cookie.Value}}, nil} {
			response := s.send(t, "GET", path, header, nil)
			for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin"} {
				if got := response.header.Get(name); got != want {
					t.Errorf("%s of %s: got %q, want %q", name, path, got, want)
				}
			}
			policy := response.header.Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("the policy of %s: got %q, want default-src and frame-ancestors 'none' and nothing unsafe", path, policy)
			}
			if asset := strings.HasPrefix(path, "/portal/assets/"); !asset && response.header.Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control of %s: got %q, want no-store", path, response.header.Get("Cache-Control"))
			}
			for _, inline := range []string{"<style", " style=", "onclick", "javascript:"} {
				if strings.Contains(response.page, inline) && !strings.HasSuffix(path, ".js") {
					t.Errorf("%s: got a page with %s, want one without", path, inline)
				}
			}
		}
	}
	if response := s.send(t, "GET", "/portal/assets/", nil, nil); response.status != 404 {
		t.Errorf("the list of assets: got %d, want 404", response.status)
	}
	response := s.send(t, "POST", "/portal/sign-in", http.Header{"X-Forwarded-Proto": {"https"}}, url.Values{"email": {"customer@example.com"}, "password": {"the password"}})
	if cookies := response.cookies; len(cookies) != 1 || !cookies[0].Secure {
		t.Errorf("the cookies behind a proxy with a certificate: got %v, want a secure one", cookies)
	}
}

// A fork has its own password.
func TestForkIsSignedInElsewhere(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.PortalPassword = "of the first" })
	fork := must.Get(s.Fork(t.Context()))(t)
	t.Cleanup(func() { fork.Close() })
	if s.PortalPassword() != "of the first" || fork.PortalPassword() == s.PortalPassword() || fork.PortalPassword() == "" {
		t.Errorf("the passwords: got %q and %q, want that of the first and another one", s.PortalPassword(), fork.PortalPassword())
	}
}

// Nobody can guess the password: after many wrong ones, even the right one has to wait.
func TestGuessedSignIns(t *testing.T) {
	t.Parallel()
	s := serve(t)
	last := 0
	for range 50 {
		last = s.send(t, "POST", "/portal/sign-in", nil, url.Values{"email": {"customer@example.com"}, "password": {"guess"}}).status
	}
	right := s.send(t, "POST", "/portal/sign-in", nil, url.Values{"email": {"customer@example.com"}, "password": {"the password"}})
	if last != http.StatusTooManyRequests || right.status != http.StatusTooManyRequests || len(right.cookies) != 0 {
		t.Errorf("the last guess and the right password: got %d and %d with %d cookies, want 429 twice and none", last, right.status, len(right.cookies))
	}
}
