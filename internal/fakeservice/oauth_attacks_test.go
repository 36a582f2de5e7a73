package fakeservice_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// asked returns what a request for authorization with changed parameters leads to: the
// status of a page, or the error that goes to the client.
func (f *flow) asked(changed url.Values) string {
	f.t.Helper()
	page := f.page(changed)
	if to := page.Header.Get("Location"); to != "" {
		address, _, _ := strings.Cut(to, "?")
		return address + " " + answerOf(page).Get("error")
	}
	return strconv.Itoa(page.Status)
}

// posted returns what a form of the consent page leads to: the status and the path of a
// page, or "a code".
func (f *flow) posted(visitor *fakeservicetest.Visitor, values url.Values) string {
	f.t.Helper()
	page := visitor.Post("/portal/authorize", values)
	if answerOf(page).Has("code") {
		return "a code"
	}
	return strconv.Itoa(page.Status) + " " + page.Path()
}

// other registers a second client and returns its id.
func (f *flow) other() string {
	f.t.Helper()
	return f.register(`{"client_name": "Other", "redirect_uris": ["` + callback + `"]}`)
}

// both returns two outcomes. The second shows that an attack had no effect, or ended the
// access.
func both(first, second string) string { return first + ", then " + second }

// attacks has attacks on the sign-in, the tokens and what they open, each with the outcome.
var attacks = map[string]struct {
	attack func(*flow) string
	want   string
}{
	// The request for authorization. Nothing is sent to a redirect URI that is not the
	// client's.
	"an unknown client":                        {func(f *flow) string { return f.asked(url.Values{"client_id": {"client-x"}}) }, "422"},
	"no client":                                {func(f *flow) string { return f.asked(url.Values{"client_id": {}}) }, "422"},
	"another redirect URI":                     {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {"https://evil.example/"}}) }, "422"},
	"no redirect URI":                          {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {}}) }, "422"},
	"a longer redirect URI":                    {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {callback + "/x"}}) }, "422"},
	"a redirect URI with a fragment":           {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {callback + "#x"}}) }, "422"},
	"a redirect URI with a user name":          {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {"http://127.0.0.1:1@evil/callback"}}) }, "422"},
	"two redirect URIs":                        {func(f *flow) string { return f.asked(url.Values{"redirect_uri": {callback, "https://evil.example/"}}) }, "422"},
	"no PKCE":                                  {func(f *flow) string { return f.asked(url.Values{"code_challenge": {}, "code_challenge_method": {}}) }, callback + " invalid_request"},
	"plain PKCE":                               {func(f *flow) string { return f.asked(url.Values{"code_challenge_method": {"plain"}}) }, callback + " invalid_request"},
	"PKCE without a method, which means plain": {func(f *flow) string { return f.asked(url.Values{"code_challenge_method": {}}) }, callback + " invalid_request"},
	"a challenge that is no hash":              {func(f *flow) string { return f.asked(url.Values{"code_challenge": {"x"}}) }, callback + " invalid_request"},
	"a token instead of a code":                {func(f *flow) string { return f.asked(url.Values{"response_type": {"token"}}) }, callback + " unsupported_response_type"},
	"the answer in a fragment":                 {func(f *flow) string { return f.asked(url.Values{"response_mode": {"fragment"}}) }, callback + " invalid_request"},
	"no resource":                              {func(f *flow) string { return f.asked(url.Values{"resource": {}}) }, callback + " invalid_target"},
	"a foreign resource":                       {func(f *flow) string { return f.asked(url.Values{"resource": {"https://other.example/mcp"}}) }, callback + " invalid_target"},
	"the REST API as the resource":             {func(f *flow) string { return f.asked(url.Values{"resource": {f.BaseURL}}) }, callback + " invalid_target"},
	"a resource with more":                     {func(f *flow) string { return f.asked(url.Values{"resource": {f.MCPURL + "/x"}}) }, callback + " invalid_target"},
	"a second resource":                        {func(f *flow) string { return f.asked(url.Values{"resource": {f.MCPURL, "https://other.example/mcp"}}) }, "422"},

	// The consent.
	"a consent without the session's token": {func(f *flow) string {
		values := f.page(nil).Values("allow")
		values.Del("csrf")
		return f.posted(f.visitor, values)
	}, "403 /portal/authorize"},
	"a consent with another session's token": {func(f *flow) string {
		values := f.page(nil).Values("allow")
		values.Set("csrf", f.visit(f.t).Open("/portal/access").Value("key", "csrf"))
		return f.posted(f.visitor, values)
	}, "403 /portal/authorize"},
	"a consent of a visitor who is not signed in": {func(f *flow) string {
		values := f.page(nil).Values("allow")
		return f.posted(staying(f.api, fakeservicetest.Visit(f.t, f.Server)), values)
	}, "200 /portal/sign-in"},
	"a consent after the session": {func(f *flow) string {
		page := f.page(nil)
		values := page.Values("allow")
		page.Submit("sign-out", nil)
		return f.posted(f.visitor, values)
	}, "200 /portal/sign-in"},
	"a consent with another redirect URI": {func(f *flow) string {
		values := f.page(nil).Values("allow")
		values.Set("redirect_uri", "https://evil.example/")
		return f.posted(f.visitor, values)
	}, "422 /portal/authorize"},
	"a consent in the address": {func(f *flow) string {
		page := f.visitor.Open("/portal/authorize?" + f.page(nil).Values("allow").Encode())
		return strconv.Itoa(page.Status) + " " + page.Header.Get("Location")
	}, "200 "},
	"a consent page in a frame": {func(f *flow) string {
		page := f.page(nil)
		frames := "open to frames"
		if strings.Contains(page.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			frames = "closed to frames"
		}
		return page.Header.Get("X-Frame-Options") + ", " + frames
	}, "DENY, closed to frames"},
	"a name with markup": {func(f *flow) string {
		f.client = f.register(`{"client_name": "<script>alert(1)</script>", "redirect_uris": ["` + callback + `"]}`)
		if strings.Contains(f.page(nil).HTML, "<script>alert") {
			return "a script"
		}
		return "text"
	}, "text"},

	// The code.
	"no verifier": {func(f *flow) string { return f.exchange(f.code(), url.Values{"code_verifier": {}}) }, "400 invalid_request"},
	"a wrong verifier": {func(f *flow) string {
		return f.exchange(f.code(), url.Values{"code_verifier": {strings.Repeat("w", 43)}})
	}, "400 invalid_grant"},
	"the right verifier after a wrong one": {func(f *flow) string {
		code := f.code()
		f.exchange(code, url.Values{"code_verifier": {strings.Repeat("w", 43)}})
		return f.exchange(code, nil)
	}, "400 invalid_grant"},
	"a code used twice, which ends the tokens of the first use": {func(f *flow) string {
		code := f.code()
		first := f.textsOf(f.exchangeForm(code, nil))
		second := f.exchange(code, nil)
		return both(both(second, mcpStatus(f.t, f.api, first["access_token"])), f.refresh(first["refresh_token"], nil))
	}, "400 invalid_grant, then 401, then 400 invalid_grant"},
	"a code of another client": {func(f *flow) string { return f.exchange(f.code(), url.Values{"client_id": {f.other()}}) }, "400 invalid_grant"},
	"a code with another redirect URI": {func(f *flow) string {
		return f.exchange(f.code(), url.Values{"redirect_uri": {"http://127.0.0.1:2/callback"}})
	}, "400 invalid_grant"},
	"a code without the redirect URI": {func(f *flow) string { return f.exchange(f.code(), url.Values{"redirect_uri": {}}) }, "400 invalid_request"},
	"a code for a foreign resource": {func(f *flow) string {
		return f.exchange(f.code(), url.Values{"resource": {"https://other.example/mcp"}})
	}, "400 invalid_target"},
	"a code without a resource": {func(f *flow) string { return f.exchange(f.code(), url.Values{"resource": {}}) }, "400 invalid_target"},
	"a code for two resources": {func(f *flow) string {
		return f.exchange(f.code(), url.Values{"resource": {f.MCPURL, "https://other.example/mcp"}})
	}, "400 invalid_target"},
	"a code after its time": {func(f *flow) string { code := f.code(); f.Advance(10 * time.Minute); return f.exchange(code, nil) }, "400 invalid_grant"},
	"a code of nobody":      {func(f *flow) string { return f.exchange("x", nil) }, "400 invalid_grant"},
	"a code after the disconnection": {func(f *flow) string {
		code := f.code()
		if err := f.Disconnect(f.Applications()[0].ID); err != nil {
			return err.Error()
		}
		return f.exchange(code, nil)
	}, "400 invalid_grant"},
	"the parameters of an exchange in the address": {func(f *flow) string {
		return f.post("/oauth/token?"+f.exchangeForm(f.code(), nil).Encode(), url.Values{})
	}, "400 invalid_request"},
	"two codes": {func(f *flow) string { return f.exchange("", url.Values{"code": {f.code(), f.code()}}) }, "400 invalid_request"},
	"another kind of grant": {func(f *flow) string {
		return f.post("/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {f.client}, "resource": {f.MCPURL}})
	}, "400 unsupported_grant_type"},

	"many exchanges of a code at once": {func(f *flow) string {
		form := f.exchangeForm(f.code(), nil)
		var accepted atomic.Int32
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if response, err := http.PostForm(f.RootURL+"/oauth/token", form); err == nil {
					_ = response.Body.Close()
					if response.StatusCode == http.StatusOK {
						accepted.Add(1)
					}
				}
			})
		}
		all.Wait()
		return strconv.Itoa(int(accepted.Load())) + " accepted"
	}, "1 accepted"},

	// The refresh token.
	"a refresh token used twice, which ends the family": {func(f *flow) string {
		first := f.tokens()
		second := f.textsOf(f.refreshForm(first["refresh_token"], nil))
		again := f.refresh(first["refresh_token"], nil)
		return both(both(again, mcpStatus(f.t, f.api, second["access_token"])), f.refresh(second["refresh_token"], nil))
	}, "400 invalid_grant, then 401, then 400 invalid_grant"},
	"a refresh token of another client, which stays valid for its own": {func(f *flow) string {
		token := f.tokens()["refresh_token"]
		return both(f.refresh(token, url.Values{"client_id": {f.other()}}), f.refresh(token, nil))
	}, "400 invalid_grant, then 200"},
	"a refresh for a foreign resource": {func(f *flow) string {
		return f.refresh(f.tokens()["refresh_token"], url.Values{"resource": {"https://other.example/mcp"}})
	}, "400 invalid_target"},
	"an access token as a refresh token": {func(f *flow) string { return f.refresh(f.tokens()["access_token"], nil) }, "400 invalid_grant"},
	"a revocation by another client": {func(f *flow) string {
		token := f.tokens()["access_token"]
		return both(f.post("/oauth/revoke", url.Values{"token": {token}, "client_id": {f.other()}}), mcpStatus(f.t, f.api, token))
	}, "400 invalid_grant, then 200"},

	// The access token.
	"no token":                           {func(f *flow) string { return mcpStatus(f.t, f.api, "") }, "401"},
	"a refresh token as an access token": {func(f *flow) string { return mcpStatus(f.t, f.api, f.tokens()["refresh_token"]) }, "401"},
	"a code as an access token":          {func(f *flow) string { return mcpStatus(f.t, f.api, f.code()) }, "401"},
	"an access token after its hour": {func(f *flow) string {
		token := f.tokens()["access_token"]
		f.Advance(time.Hour)
		return mcpStatus(f.t, f.api, token)
	}, "401"},
	"a token in the address": {func(f *flow) string {
		return statusOf(f.t, http.MethodPost, f.MCPURL+"?access_token="+f.tokens()["access_token"], "")
	}, "401"},
	"a token at REST": {func(f *flow) string {
		return statusOf(f.t, http.MethodGet, f.BaseURL+"/me", f.tokens()["access_token"])
	}, "401"},
	"a token at the control": {func(f *flow) string {
		return statusOf(f.t, http.MethodGet, f.RootURL+"/_fake/state", f.tokens()["access_token"])
	}, "401"},
	"a key made with a token": {func(f *flow) string {
		before := len(f.Keys())
		request := must.Get(http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.RootURL+"/portal/access",
			strings.NewReader("name=mine")))(f.t)
		request.Header.Set("Authorization", "Bearer "+f.tokens()["access_token"])
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		send(f.t, request)
		return strconv.Itoa(len(f.Keys())-before) + " keys"
	}, "0 keys"},
	"a tool for keys": {func(f *flow) string {
		isForKeys := func(name string) bool { return strings.Contains(name, "key") || strings.Contains(name, "application") }
		return strconv.Itoa(len(slices.DeleteFunc(slices.Collect(maps.Keys(toolsOf(f.t, f.Agent(f.t)))), func(name string) bool { return !isForKeys(name) }))) + " tools"
	}, "0 tools"},
	"a token at another address of the fake": {func(f *flow) string {
		return statusOf(f.t, http.MethodPost, strings.Replace(f.MCPURL, "127.0.0.1", "localhost", 1), f.tokens()["access_token"])
	}, "401"},
	"a token at a fork": {func(f *flow) string {
		token := f.tokens()["access_token"]
		fork := must.Get(f.Fork(f.t.Context()))(f.t)
		defer func() { _ = fork.Close() }()
		_, valid := fork.TokenAudience(token)
		return strconv.FormatBool(valid) + " " + strconv.Itoa(len(fork.Applications()))
	}, "false 0"},
	"a token at a fake with the snapshot": {func(f *flow) string {
		token := f.tokens()["access_token"]
		f.told("POST", "/snapshots", `{"name": "mine"}`)
		other := start(f.t)
		if status, answer := other.raw(http.MethodPut, "/_fake/snapshots/theirs", f.download("mine")); status != http.StatusOK {
			f.t.Fatalf("the upload of the snapshot: got %d %s, want 200", status, answer)
		}
		other.told("POST", "/snapshots/theirs/restore", "")
		_, valid := other.TokenAudience(token)
		return strconv.FormatBool(valid) + " " + strconv.Itoa(len(other.Applications()))
	}, "false 0"},

	// The registration.
	"a script as the redirect URI":     {func(f *flow) string { return f.register(`{"redirect_uris": ["javascript:alert(1)"]}`) }, "400 invalid_redirect_uri"},
	"a registered fragment":            {func(f *flow) string { return f.register(`{"redirect_uris": ["https://app.example/#x"]}`) }, "400 invalid_redirect_uri"},
	"a plain-text redirect URI":        {func(f *flow) string { return f.register(`{"redirect_uris": ["http://app.example/"]}`) }, "400 invalid_redirect_uri"},
	"no redirect URI to register":      {func(f *flow) string { return f.register(`{"client_name": "x"}`) }, "400 invalid_redirect_uri"},
	"a registration that is no object": {func(f *flow) string { return f.register(`[]`) }, "400 invalid_client_metadata"},
	"a name that reads backwards": {func(f *flow) string {
		return f.register(`{"client_name": "\u202egro.elpmaxe", "redirect_uris": ["` + callback + `"]}`)
	}, "400 invalid_client_metadata"},
	"a large registration": {func(f *flow) string {
		return f.register(`{"client_name": "` + strings.Repeat("x", 1<<17) + `", "redirect_uris": ["` + callback + `"]}`)
	}, "400 invalid_client_metadata"},
}

// Each attack is refused. TestFlow shows that the same steps work without the change.
func TestOAuthAttacks(t *testing.T) {
	t.Parallel()
	for name, row := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "the outcome", row.attack(newFlow(t)), row.want)
		})
	}
}

// A metadata document counts only if it is small, plain JSON at its own URL, for a client
// without a secret.
func TestDocumentAttacks(t *testing.T) {
	t.Parallel()
	// changed returns a document that differs in one field.
	changed := func(field string, value any) func(string) any {
		return func(url string) any {
			document := agentDocument(url).(object)
			document[field] = value
			return document
		}
	}
	for name, row := range map[string]struct {
		document func(url string) any
		want     string
	}{
		"none of them":          {agentDocument, "200"},
		"of another client":     {changed("client_id", "https://other.example/client.json"), "422"},
		"without a client":      {changed("client_id", ""), "422"},
		"with a secret":         {changed("token_endpoint_auth_method", "client_secret_post"), "422"},
		"with a script":         {changed("redirect_uris", []string{"http://127.0.0.1/callback", "javascript:alert(1)"}), "422"},
		"with another callback": {changed("redirect_uris", []string{"https://app.example/callback"}), "422"},
		"too large":             {changed("client_uri", strings.Repeat("x", 6<<10)), "422"},
		"a list":                {func(string) any { return []string{} }, "422"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, network := documentServer(t, row.document)
			f := newFlow(t, func(o *fakeservice.Options) { o.Network = network })
			equal(t, "the outcome", f.asked(url.Values{"client_id": {id}}), row.want)
		})
	}
}

// A document at an address that is closed to webhooks is not read. The visitor sees why,
// and nothing reaches the address.
func TestDocumentAddresses(t *testing.T) {
	t.Parallel()
	read := atomic.Bool{}
	id, _ := documentServer(t, func(url string) any { read.Store(true); return agentDocument(url) })
	f := newFlow(t, func(o *fakeservice.Options) { o.Network = webhooks.New(webhooks.Options{}).Network() })
	for _, id := range []string{
		id, strings.Replace(id, "127.0.0.1", "localhost", 1), strings.Replace(id, "127.0.0.1", "[::ffff:127.0.0.1]", 1),
		"https://169.254.169.254/latest/meta-data", "https://[fe80::1]/client.json", "https://0.0.0.0/client.json",
	} {
		page := f.page(url.Values{"client_id": {id}})
		if page.Status != http.StatusUnprocessableEntity || !strings.Contains(page.Text(), "cannot be read") {
			t.Errorf("a document at %s: got %d %s, want 422", id, page.Status, page.Text())
		}
	}
	if read.Load() {
		t.Error("requests for a document on this machine: got one, want none")
	}
}

// A redirect to a document is not followed, and nothing is read for a visitor who is not
// signed in.
func TestDocumentIsReadOnce(t *testing.T) {
	t.Parallel()
	read := atomic.Int32{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read.Add(1)
		http.Redirect(w, r, "/elsewhere.json", http.StatusFound)
	}))
	defer server.Close()
	f := newFlow(t, func(o *fakeservice.Options) { o.Network = server.Client().Transport })
	signedIn := f.visitor
	f.visitor = staying(f.api, fakeservicetest.Visit(t, f.Server))
	equal(t, "the page for a visitor", f.page(url.Values{"client_id": {server.URL + "/client.json"}}).Path(), "/portal/sign-in")
	equal(t, "the requests for a visitor", read.Load(), int32(0))
	f.visitor = signedIn
	equal(t, "a redirect", f.asked(url.Values{"client_id": {server.URL + "/client.json"}}), "422")
	equal(t, "the requests", read.Load(), int32(1))
}
