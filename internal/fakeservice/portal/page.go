package portal

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

//go:embed templates
var templateFiles embed.FS

// templates has the pages by name, each with the layout. A page defines "content", and
// "live" if a part of it is kept up to date.
var templates = parseTemplates()

func parseTemplates() map[string]*template.Template {
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/form.html", "templates/fake.html"))
	entries, err := templateFiles.ReadDir("templates/pages")
	if err != nil {
		panic("portal: " + err.Error()) // it is embedded
	}
	pages := map[string]*template.Template{}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), path.Ext(entry.Name()))
		pages[name] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, "templates/pages/"+entry.Name()))
	}
	return pages
}

// page is the data of a page.
type page struct {
	Title, Template string
	// Section is the current part of the portal, and Tab that of an instance.
	Section, Tab string
	// Instance is the instance of the page, and Job its job in progress, or nil.
	Instance *core.InstanceRecord
	Job      *core.JobRecord
	Data     any
	Forms    []*form
	// Live is the address of the stream that updates the page, or "" if there is none. It
	// is needed because a refused form shows its page at a different address.
	Live string
	// Busy reports whether a job is in progress. If scripts are off, a page without forms
	// then reloads itself. One with forms does not, because typed text would be lost.
	Busy bool
	// Now is the fake's time, from which a page counts.
	Now time.Time
	// Waiting is the reason that the page's data cannot be read now.
	Waiting string

	// The following fields are set from the session.
	SignedIn bool
	Notice   *notice
	SignOut  *form
}

// Form returns the form with this id. It panics if the page does not have it.
func (p *page) Form(id string) *form {
	for _, f := range p.Forms {
		if f.ID == id {
			return f
		}
	}
	panic("portal: the page has no form " + id)
}

// HasForm reports whether the page has a form.
func (p *page) HasForm(id string) bool {
	for _, f := range p.Forms {
		if f.ID == id {
			return true
		}
	}
	return false
}

// Base returns the address of the instance's pages.
func (p *page) Base() string { return instancePath(p.Instance.ID) }

// Tabs returns the pages of an instance.
func (p *page) Tabs() []tab { return tabs }

type tab struct{ Path, Title string }

var tabs = []tab{
	{"", "Overview"}, {"/engines", "Engines"}, {"/apps", "Apps"}, {"/databases", "Databases"}, {"/console", "SQL console"},
	{"/auth", "Auth"}, {"/allowlist", "Allowlist"}, {"/connection", "Connection"}, {"/backups", "Backups"}, {"/settings", "Settings"},
}

// titleOf returns the title of a tab. Together with the instance's name, it is the title of
// the page.
func titleOf(path string) string {
	return tabs[slices.IndexFunc(tabs, func(t tab) bool { return t.Path == path })].Title
}

// instancePath returns the address of an instance's page. parts is the path below it.
func instancePath(id string, parts ...string) string {
	at := Root + "/instances/" + url.PathEscape(id)
	for _, part := range parts {
		at += "/" + url.PathEscape(part)
	}
	return at
}

// pageRoute is a page with its address.
type pageRoute struct {
	pattern string
	build   func(*call) (*page, error)
	does    does
}

// formAction is a form with its address.
type formAction struct {
	pattern string
	// build makes the page with the form.
	build func(*call) (*page, error)
	do    func(*call) (outcome, error)
	does  does
}

// outcome is the result of a form: a page to redirect to with a notice, or a page to
// show.
type outcome struct {
	to     string
	notice notice
	show   *page
}

// show serves a page, or the stream of its changes.
func (c *call) show(s pageRoute) {
	p, err := s.build(c)
	if err != nil {
		c.fail(err)
		return
	}
	if isStream(c.r) && p.Live != "" {
		c.stream(s)
		return
	}
	p.Notice = c.sessions.take(c.session, c.r.URL.EscapedPath())
	c.write(http.StatusOK, p)
	if p.Waiting == "" {
		c.did(s.does)
	}
}

// carryOut processes a form. A refused form is shown again with the sent values.
func (c *call) carryOut(d formAction) {
	done, err := d.do(c)
	if err != nil {
		c.refuse(d, core.ProblemOf(err))
		return
	}
	c.did(d.does)
	if done.show != nil {
		c.write(http.StatusOK, done.show)
		return
	}
	if done.notice != (notice{}) {
		c.sessions.leave(c.session, done.to, &done.notice)
	}
	http.Redirect(c.w, c.r, done.to, http.StatusSeeOther)
}

func (c *call) refuse(d formAction, problem *core.Problem) {
	p, err := d.build(c)
	if err != nil {
		c.fail(problem) // this is the reason, whatever the page lacks
		return
	}
	for _, f := range p.Forms {
		if f.Action == c.r.URL.EscapedPath() {
			f.refuse(c.r.PostForm, problem)
			c.write(statusOf(problem), p)
			return
		}
	}
	c.fail(problem) // the form is not offered, because its object is gone
}

// did reports the operations of a page or a form.
func (p *Portal) did(operations does) {
	for _, operation := range operations {
		p.Did(operation)
	}
}

// fail shows a refusal without a form.
func (c *call) fail(err error) {
	problem := core.ProblemOf(err)
	title := "That did not work"
	if problem.Code == core.NotFound {
		title = "Not found"
	}
	c.write(statusOf(problem), &page{Title: title, Template: "problem", Data: sentence(problem.Detail)})
}

// statusOf returns the HTTP status of a page with a refusal.
func statusOf(p *core.Problem) int {
	switch p.Code {
	case core.Unauthorized, core.ConsoleOff:
		return http.StatusForbidden
	case core.NotFound:
		return http.StatusNotFound
	case core.JobRunning, core.NotRunning, core.AlreadyExists:
		return http.StatusConflict
	case core.Unavailable:
		return http.StatusServiceUnavailable
	case core.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusUnprocessableEntity
}

// write shows a page of the session.
func (c *call) write(status int, p *page) {
	c.dress(p)
	c.Portal.write(c.w, status, p)
}

// dress sets the fields of a page that depend on the session.
func (c *call) dress(p *page) {
	p.Now = c.Service.Now()
	p.SignedIn = true
	p.SignOut = button("sign-out", Root+"/sign-out", "Sign out")
	for _, f := range append(p.Forms, p.SignOut) {
		f.prepare(c.session.csrf)
	}
}

// write sends a page, completely or not at all.
func (p *Portal) write(w http.ResponseWriter, status int, shown *page) {
	if !shown.SignedIn {
		for _, f := range shown.Forms {
			f.prepare("")
		}
	}
	var text bytes.Buffer
	if err := templates[shown.Template].ExecuteTemplate(&text, "layout.html", shown); err != nil {
		http.Error(w, "the page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // nothing can be done for a browser that is gone
}

// timeText returns a time in UTC, as in the API.
func timeText(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05") + " UTC" }
