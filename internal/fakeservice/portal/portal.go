// Package portal is the part of the service that people see in a browser: its pages after
// sign-in, which do every operation of the API, the checkout of a paid plan, and the guide
// to apps. Pages are rendered here and work without a script; the one there is keeps
// what a page shows of jobs up to date.
package portal

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/caller"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Root is where the pages after sign-in begin.
const Root = "/portal"

// Options says how a Portal is served.
type Options struct {
	Service *core.Service
	// PortalURL is the address of the portal; "" is where a visitor found it.
	PortalURL string
	// Password is what the account signs in with. Without one nobody can.
	Password string
	// Did is told of each operation of the API's document ("GET /me") that a page or a
	// form has carried out; nil is nobody.
	Did func(operation string)
	// Now is the real time, by which sessions end; nil is the computer's clock.
	Now func() time.Time
}

// Portal serves the pages. It is safe for concurrent use.
type Portal struct {
	Options
	sessions *sessions
	// life ends with the portal, and with it the streams of what pages show.
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
	p := &Portal{Options: o, sessions: newSessions(o.Now)}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Close ends the streams that pages have open.
func (p *Portal) Close() { p.end() }

// Mount adds the portal's pages to a mux.
func (p *Portal) Mount(mux *http.ServeMux) {
	mux.Handle("/checkout/{token}", secured(p.serveCheckout))
	mux.Handle("GET /guides/apps", secured(p.serveGuide))
	mux.Handle("GET "+Root+"/assets/", assetsOnly(http.StripPrefix(Root, http.FileServerFS(assets))))
	mux.Handle("GET /{$}", http.RedirectHandler(Root+"/", http.StatusSeeOther))
	mux.Handle("GET "+Root+"/{$}", http.RedirectHandler(Root+"/instances", http.StatusSeeOther))
	mux.Handle("GET "+Root, http.RedirectHandler(Root+"/instances", http.StatusSeeOther))
	mux.Handle("GET "+Root+"/sign-in", secured(p.showSignIn))
	mux.Handle("POST "+Root+"/sign-in", secured(p.signIn))
	mux.Handle("POST "+Root+"/sign-out", p.signedIn(p.signOut))
	for _, s := range shows {
		mux.Handle("GET "+Root+s.pattern, p.signedIn(func(c *call) { c.show(s) }))
	}
	for _, d := range deeds {
		mux.Handle("POST "+Root+d.pattern, p.signedIn(func(c *call) { c.carryOut(d) }))
	}
	mux.Handle(Root+"/", p.signedIn(func(c *call) { c.fail(core.Refuse(core.NotFound, "There is no such page.")) }))
}

// serveGuide is the guide at the portal's address, for anyone.
func (p *Portal) serveGuide(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", core.GuideType)
	_, _ = w.Write(core.Guide) // nothing is left to do for a reader that has gone
	p.did("GET /guides/apps")
}

// call is a request of somebody who is signed in.
type call struct {
	*Portal
	w       http.ResponseWriter
	r       *http.Request
	session *session
}

func (c *call) context() context.Context { return c.r.Context() }

// param is an element of the path; instance is that of the instance.
func (c *call) param(name string) string { return c.r.PathValue(name) }
func (c *call) instance() string         { return c.param("id") }

// root is the portal's address as this visitor knows it.
func (c *call) root() string { return cmp.Or(c.PortalURL, caller.Root(c.r)) }
