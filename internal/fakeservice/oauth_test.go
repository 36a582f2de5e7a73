package fakeservice_test

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// callback is the redirect URI of the applications of these tests. Nothing listens there:
// a test reads the answer from the redirect.
const callback = "http://127.0.0.1:1/callback"

// visit returns a visitor who is signed in and stops at redirects to other hosts.
func (a *api) visit(t *testing.T) *fakeservicetest.Visitor {
	t.Helper()
	return staying(a, fakeservicetest.SignIn(t, a.Server))
}

func staying(a *api, v *fakeservicetest.Visitor) *fakeservicetest.Visitor {
	v.Client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(r.URL.String(), a.RootURL+"/") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return v
}

// answerOf returns the answer to an application that a page redirects with.
func answerOf(page *fakeservicetest.Page) url.Values {
	to, err := url.Parse(page.Header.Get("Location"))
	if err != nil {
		return nil
	}
	return to.Query()
}

// signIn configures the official client to sign in as a visitor who consents. The second
// result counts the consents.
func signIn(t *testing.T, a *api, change func(*auth.AuthorizationCodeHandlerConfig)) (*auth.AuthorizationCodeHandler, *int) {
	t.Helper()
	visitor, consents := a.visit(t), 0
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: callback,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			consents++
			got := answerOf(visitor.Open(args.URL).Submit("allow", nil))
			return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
		},
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Agent", RedirectURIs: []string{callback}, TokenEndpointAuthMethod: "none",
		}},
	}
	change(config)
	handler := must.Get(auth.NewAuthorizationCodeHandler(config))(t)
	return handler, &consents
}

// connectBy connects the official client with a handler of OAuth and nothing else.
func (a *api) connectBy(t *testing.T, handler auth.OAuthHandler) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: a.MCPURL, OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatalf("connect by OAuth: %s", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func readAccount(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_account"}); err != nil || result.IsError {
		t.Fatalf("get_account: got %v and error %v, want no error", result, err)
	}
}

// eventsOf returns the types of the events about OAuth.
func eventsOf(a *api) (types []string) {
	for _, e := range a.Events() {
		if strings.HasPrefix(e.Type, "oauth_") {
			types = append(types, e.Type+" "+e.Data["client_name"].(string))
		}
	}
	return types
}

// The official client signs in from nothing: it finds the authorization server, registers,
// and gets tokens for the consent in the portal. The Access page lists and disconnects it.
func TestClientRegistersAndSignsIn(t *testing.T) {
	t.Parallel()
	a := start(t)
	handler, consents := signIn(t, a, func(*auth.AuthorizationCodeHandlerConfig) {})
	session := a.connectBy(t, handler)
	readAccount(t, session)
	visitor := a.visit(t)
	access := visitor.Open("/portal/access")
	application := a.Applications()[0]
	if text := access.Text(); !strings.Contains(text, "Agent "+application.ClientID+" connected ") || !strings.Contains(text, ", last used ") {
		t.Errorf("the Access page: got %s, want the application with the time of its last use", text)
	}
	equal(t, "the events of a consent", strings.Join(eventsOf(a), ", "), "oauth_granted Agent")

	source := must.Get(handler.TokenSource(t.Context()))(t)
	token := must.Get(source.Token())(t)
	access = access.Submit("disconnect-"+application.ID, nil)
	if text := access.Text(); !strings.Contains(text, "The application is disconnected.") || access.HasForm("disconnect-"+application.ID) {
		t.Errorf("the Access page after the disconnection: got %s, want its result and no form of the application", text)
	}
	equal(t, "the answer to a disconnected application", mcpStatus(t, a, token.AccessToken), "401")
	equal(t, "the events of a disconnection", strings.Join(eventsOf(a), ", "), "oauth_granted Agent, oauth_disconnected Agent")
	// The client can ask for consent again.
	readAccount(t, session)
	equal(t, "the consents", *consents, 2)
}

// documentServer serves a metadata document of a client, and the network on which a fake
// can read it.
func documentServer(t *testing.T, document func(url string) any) (id string, network http.RoundTripper) {
	t.Helper()
	var server *httptest.Server
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document(server.URL + r.URL.Path))
	}))
	t.Cleanup(server.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	return server.URL + "/client.json", webhooks.New(webhooks.Options{Loopback: true, Authorities: trusted}).Network()
}

func agentDocument(url string) any {
	return object{"client_id": url, "client_name": "Document", "redirect_uris": []string{"http://127.0.0.1/callback"}, "token_endpoint_auth_method": "none"}
}

// The official client prefers its metadata document. Nothing is registered then.
func TestClientWithADocumentSignsIn(t *testing.T) {
	t.Parallel()
	id, network := documentServer(t, agentDocument)
	a := start(t, func(o *fakeservice.Options) { o.Network = network })
	handler, _ := signIn(t, a, func(c *auth.AuthorizationCodeHandlerConfig) {
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: id}
	})
	readAccount(t, a.connectBy(t, handler))
	if got := a.Applications(); len(got) != 1 || got[0].ClientID != id || got[0].Name != "Document" {
		t.Errorf("the connected applications: got %+v, want the one of %s", got, id)
	}
}

// The person may refuse. The client gets an error, and nothing is recorded.
func TestConsentIsRefused(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	got := answerOf(f.page(nil).Submit("deny", nil))
	if got.Get("error") != "access_denied" || got.Get("state") != "st" || got.Get("iss") != f.RootURL || got.Has("code") {
		t.Errorf("the answer: got %v, want access_denied, the state st, the issuer %s and no code", got, f.RootURL)
	}
	if len(f.Applications()) != 0 || len(eventsOf(f.api)) != 0 {
		t.Errorf("got %v and %v, want no application and no event", f.Applications(), eventsOf(f.api))
	}
}

// A visitor who is not signed in signs in first, and then sees the consent page.
func TestConsentAfterASignIn(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	f.visitor = staying(f.api, fakeservicetest.Visit(t, f.Server))
	page := f.page(nil)
	equal(t, "the page", page.Path(), "/portal/sign-in")
	account := must.Get(f.Account(t.Context()))(t)
	page = page.Submit("sign-in", map[string]string{"email": account.Email, "password": f.PortalPassword()})
	if code := answerOf(page.Submit("allow", nil)).Get("code"); code == "" {
		t.Errorf("the consent after the sign-in: got no code from %s: %s, want one", page.Path(), page.Text())
	}
}

// A page of another site may lead to the consent page, by a page that leads on. Its other
// requests are refused.
func TestConsentFromAnotherSite(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	address := f.RootURL + "/portal/authorize?" + f.request(nil).Encode()
	for _, row := range []struct{ method, mode, destination, want string }{
		{http.MethodGet, "navigate", "document", "200"},
		{http.MethodGet, "navigate", "iframe", "403"},
		{http.MethodGet, "cors", "empty", "403"},
		{http.MethodPost, "navigate", "document", "403"},
	} {
		for _, site := range []string{"cross-site", "same-site"} {
			request := must.Get(http.NewRequestWithContext(t.Context(), row.method, address, nil))(t)
			request.Header.Set("Sec-Fetch-Site", site)
			request.Header.Set("Sec-Fetch-Mode", row.mode)
			request.Header.Set("Sec-Fetch-Dest", row.destination)
			response, err := f.visitor.Client.Do(request)
			must.Do(t, err)
			text, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if got := response.Status[:3]; got != row.want || got == "200" && !strings.Contains(string(text), `>Continue</a>`) {
				t.Errorf("%s by %s for %s from %s: got %s %s, want %s", row.method, row.mode, row.destination, site, got, text, row.want)
			}
		}
	}
}

// Either token can be revoked by its client, with the other one. An unknown token is
// accepted.
func TestRevocation(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"access_token", "refresh_token"} {
		t.Run(kind, func(t *testing.T) {
			f := newFlow(t)
			got := f.tokens()
			equal(t, "the revocation", f.post("/oauth/revoke", url.Values{"token": {got[kind]}, "client_id": {f.client}}), "200")
			equal(t, "the access token", mcpStatus(t, f.api, got["access_token"]), "401")
			equal(t, "the refresh", f.refresh(got["refresh_token"], nil), "400 invalid_grant")
			equal(t, "the events", strings.Join(eventsOf(f.api), ", "), "oauth_granted Flow, oauth_disconnected Flow")
			equal(t, "a second revocation", f.post("/oauth/revoke", url.Values{"token": {got[kind]}, "client_id": {f.client}}), "200")
		})
	}
}

// This is what the attacks differ from: a sign-in and a refresh that work.
func TestFlow(t *testing.T) {
	t.Parallel()
	f := newFlow(t)
	first := f.tokens()
	equal(t, "the access token", mcpStatus(t, f.api, first["access_token"]), "200")
	second := f.textsOf(f.refreshForm(first["refresh_token"], nil))
	equal(t, "the second access token", mcpStatus(t, f.api, second["access_token"]), "200")
	// A request with the first one may be on its way.
	equal(t, "the first access token", mcpStatus(t, f.api, first["access_token"]), "200")
	equal(t, "the type", second["token_type"], "Bearer")
	if first["refresh_token"] == second["refresh_token"] || first["access_token"] == second["access_token"] {
		t.Error("the tokens after a refresh: got one of before, want new ones")
	}
	f.Advance(time.Hour)
	equal(t, "the access token after an hour", mcpStatus(t, f.api, second["access_token"]), "401")
	equal(t, "a refresh without the resource", f.refresh(second["refresh_token"], url.Values{"resource": {}}), "200")
}
