// Package portal serves the part of the service that people use in a browser. These are
// the pages after sign-in, which do every operation of the API, the checkout of a paid
// plan, and the guide to apps. Pages are rendered on the server and work without scripts.
// The scripts update the parts of a page that show jobs, and save a visitor some steps.
package portal

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/oauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scenario"
)

// Paths of the portal.
const (
	// Root is the path of the pages after sign-in, with SignInPath and AssetsPath below it.
	Root       = "/portal"
	SignInPath = Root + "/sign-in"
	AssetsPath = Root + "/assets"
	// CheckoutPath is the path of the checkouts of paid plans.
	CheckoutPath = "/checkout"
	// GuidePath is the path of the guide to apps.
	GuidePath = "/guides/apps"
)

// Options configures a Portal.
type Options struct {
	Service *core.Service
	// PortalURL is the address of the portal. "" means the address that the visitor used.
	PortalURL string
	// Password is the account's password. If it is empty, no sign-in is possible.
	Password string
	// OAuth is the authorization server that the consent page is for.
	OAuth *oauth.Server
	// Scenario, if non-nil, has the controls and the log of requests for the pages that only
	// the fake has. ControlRoutes has the routes that the index of control routes lists.
	Scenario      *scenario.Scenario
	ControlRoutes []ControlRoute
	// Did, if non-nil, is called with each operation of the API document ("GET /me") that
	// a page or a form has carried out.
	Did func(operation string)
	// Now returns the real time for the end of sessions. If it is nil, time.Now is used.
	Now func() time.Time
}

// Portal serves the pages. It is safe for concurrent use.
type Portal struct {
	Options
	sessions *sessions
	// guesses limits the sign-ins with a wrong password.
	guesses *rate.Limiter
	// life is the context of the streams. It ends when the portal is closed.
	life context.Context
	end  context.CancelFunc
}

//go:embed assets
var assets embed.FS

// New makes a Portal.
func New(o Options) *Portal {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Did == nil {
		o.Did = func(string) {}
	}
	p := &Portal{Options: o, sessions: newSessions(o.Now), guesses: rate.NewLimiter(rate.Every(3*time.Second), 20)}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Close ends the streams of open pages.
func (p *Portal) Close() { p.end() }

// Mount adds the portal's pages to a mux.
func (p *Portal) Mount(mux *http.ServeMux) {
	mux.Handle(CheckoutPath+"/{token}", secured(p.serveCheckout))
	mux.Handle("GET "+GuidePath, secured(p.serveGuide))
	mux.Handle("GET "+AssetsPath+"/", assetsOnly(http.StripPrefix(Root, http.FileServerFS(assets))))
	mux.Handle("GET /{$}", http.RedirectHandler(Root+"/", http.StatusSeeOther))
	mux.Handle("GET "+Root+"/{$}", http.RedirectHandler(Root+"/instances", http.StatusSeeOther))
	mux.Handle("GET "+Root, http.RedirectHandler(Root+"/instances", http.StatusSeeOther))
	mux.Handle("GET "+SignInPath, secured(p.showSignIn))
	mux.Handle("POST "+SignInPath, secured(p.signIn))
	mux.Handle("POST "+Root+"/sign-out", p.signedIn(p.signOut))
	mux.Handle("GET "+oauth.AuthorizePath, p.fromAnySite(p.signedIn(askForConsent)))
	mux.Handle("POST "+oauth.AuthorizePath, p.signedIn(answerConsent))
	for _, s := range pageRoutes {
		mux.Handle(s.place(), p.signedIn(func(c *call) { c.show(s) }))
	}
	for _, d := range formActions {
		mux.Handle(d.place(), p.signedIn(func(c *call) { c.carryOut(d) }))
	}
	p.mountFake(mux)
	mux.Handle(Root+"/", p.signedIn(func(c *call) { c.fail(core.Refuse(core.NotFound, "There is no such page.")) }))
}

// call is a request with a session.
type call struct {
	*Portal
	w       http.ResponseWriter
	r       *http.Request
	session *session
}

func (c *call) context() context.Context { return c.r.Context() }

// param returns an element of the path; instance returns the id of the instance.
func (c *call) param(name string) string { return c.r.PathValue(name) }
func (c *call) instance() string         { return c.param("id") }

// root returns the portal's address for this visitor.
func (c *call) root() string { return cmp.Or(c.PortalURL, httpauth.Root(c.r)) }
