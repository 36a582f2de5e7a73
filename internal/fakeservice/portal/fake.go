package portal

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// FakePath is the path of the pages that only the fake has: mails, requests and controls.
const FakePath = Root + "/fake"

// ControlIndex is the address of the page that lists the control routes.
const ControlIndex = "/_fake/"

// ControlRoute is a control route in that list.
type ControlRoute struct{ Method, Path, Description string }

// fakePages has the pages below FakePath. They carry out no operation of the API.
var fakePages = []pageRoute{
	{pattern: "/fake/mails", build: showMails},
	{pattern: "/fake/requests", build: showRequests},
	{pattern: "/fake/requests/{number}", build: showRequest},
	{pattern: "/fake/controls", build: showControls},
}

// fakeTabs has the sections of the fake's pages.
var fakeTabs = []tab{{"/requests", "Requests"}, {"/mails", "Mails"}, {"/controls", "Controls"}}

// fakePage returns the frame of a page that only the fake has.
func fakePage(title, template, tab string) *page {
	return &page{Title: title, Template: template, Section: "fake", Tab: tab}
}

// mountFake adds the pages that only the fake has.
func (p *Portal) mountFake(mux *http.ServeMux) {
	mux.Handle("GET /openapi.json", secured(serveDocument))
	mux.Handle("GET /openapi", secured(p.showDocument))
	mux.Handle("GET "+ControlIndex+"{$}", secured(p.showRoutes))
	if p.Scenario == nil {
		return
	}
	mux.Handle("GET "+FakePath, http.RedirectHandler(FakePath+"/requests", http.StatusSeeOther))
	for _, s := range fakePages {
		mux.Handle(s.place(), p.signedIn(func(c *call) { c.show(s) }))
	}
	for _, s := range settings {
		d := s.formAction()
		mux.Handle(d.place(), p.signedIn(func(c *call) { c.carryOut(d) }))
	}
}

// serveDocument serves the API's document, which contains no data, without a sign-in.
func serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(apispec.Document()) // nothing can be done for a reader that is gone
}

func (p *Portal) showDocument(w http.ResponseWriter, _ *http.Request) {
	doc, err := shownDocument()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.write(w, http.StatusOK, &page{Title: "The API", Template: "openapi", Data: doc})
}

func (p *Portal) showRoutes(w http.ResponseWriter, _ *http.Request) {
	p.write(w, http.StatusOK, &page{Title: "Control routes", Template: "routes", Data: p.ControlRoutes})
}
