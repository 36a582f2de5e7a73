package verification

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// fillsSignIn fills in the form for a visitor who is not signed in.
func (p *person) fillsSignIn() act {
	p.t.Helper()
	account := must.Get(p.s.Account(p.t.Context()))(p.t)
	return chromedp.Steps(typing("sign-in-email", account.Email), typing("sign-in-password", p.s.PortalPassword()), submit("sign-in"))
}

// goClient configures the protocol's Go client, which registers as an application and waits
// for an answer at its callback. The application's page leads to the consent page; choose
// answers that.
func (p *person) goClient(name string, choose ...act) *mcp.StreamableClientTransport {
	p.t.Helper()
	answers, link := make(chan url.Values, 1), atomic.Value{}
	application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Path != "/callback" {
			_, _ = fmt.Fprintf(w, `<link rel=icon href=data:,><main><a id=connect href="%s">Connect</a></main>`, html.EscapeString(link.Load().(string)))
			return
		}
		answers <- r.URL.Query()
		_, _ = fmt.Fprint(w, "<link rel=icon href=data:,><main>back at the application</main>")
	}))
	p.t.Cleanup(application.Close)
	callback := application.URL + "/callback"
	handler := must.Get(auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL: callback,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			link.Store(args.URL)
			acts := append([]act{chromedp.Navigate(application.URL), click("#connect"), says("An application wants to connect"), click("main a.button")}, choose...)
			if err := p.do("answer "+name, append(acts, says("back at the application"))...); err != nil {
				return nil, err
			}
			select {
			case got := <-answers:
				if refused := got.Get("error"); refused != "" {
					return nil, fmt.Errorf("the portal answers %s", refused)
				}
				return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: name, RedirectURIs: []string{callback}, TokenEndpointAuthMethod: "none",
		}},
	}))(p.t)
	return &mcp.StreamableClientTransport{Endpoint: p.s.MCPURL, OAuthHandler: handler}
}

// The protocol's Go client signs in from nothing. The visitor signs in to the portal,
// consents, and is back at the application, which works with its tokens. Then they refuse
// another application, and disconnect the first.
func TestGoClientSignsInInABrowser(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	p := comeToPortal(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	session := must.Get(client.Connect(t.Context(), p.goClient("Agent", p.fillsSignIn(), says("Connect Agent?"), submit("allow")), nil))(t)
	defer session.Close()
	if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_account"}); err != nil || result.IsError {
		t.Errorf("get_account: got %v and %v, want the account", result, err)
	}
	_, err := client.Connect(t.Context(), p.goClient("Other", says("Connect Other?"), submit("deny")), nil)
	if err == nil || !strings.Contains(err.Error(), "the portal answers access_denied") {
		t.Errorf("an application that was refused: got %v, want access_denied", err)
	}
	connected := p.s.Applications()
	if len(connected) != 1 || connected[0].Name != "Agent" {
		t.Fatalf("the connected applications: got %+v, want Agent", connected)
	}
	p.does("disconnect it", p.open("/portal/access"), says("last used"), submit("disconnect-"+connected[0].ID), says("The application is disconnected"))
	if got := p.s.Applications(); len(got) != 0 {
		t.Errorf("the connected applications: got %+v, want none", got)
	}
}

// The protocol's TypeScript client signs in from nothing, and the visitor consents in a
// browser.
func TestTypeScriptClientSignsInInABrowser(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "../fakeservice/mcp/typescript")
	p := comeToPortal(t)
	fakeservicetest.SignInByTypeScript(t, p.s, folder, func(address string) {
		p.does("consent", chromedp.Navigate(address), says("Sign in"), p.fillsSignIn(), says("Connect TypeScript?"), submit("allow"), says("The sign-in is finished."))
	})
}
