package portal

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by name, each with the layout. One defines "content", and
// "live" where a part of it is kept up to date.
var templates = parseTemplates()

func parseTemplates() map[string]*template.Template {
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(templateFiles, "templates/layout.html", "templates/form.html"))
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

// page is what a visitor sees.
type page struct {
	Title, Template string
	// Section is the part of the portal, and Tab that of an instance.
	Section, Tab string
	// Instance is what the page is about, with the job in progress on it, if there is one.
	Instance *core.InstanceRecord
	Job      *core.JobRecord
	Data     any
	Forms    []*form
	// Live is the address at which a page is kept up to date, "" for one that is not: a
	// form that is refused shows a page at another. Busy ones are loaded again where there
	// is no script.
	Live string
	Busy bool
	// Waiting is why what the page is for cannot be read now.
	Waiting string

	// What follows is the session's.
	SignedIn bool
	Notice   *notice
	SignOut  *form
}

// Form is a form of the page by its id. A page that asks for one that it does not have is
// a mistake of the fake's.
func (p *page) Form(id string) *form {
	for _, f := range p.Forms {
		if f.ID == id {
			return f
		}
	}
	panic("portal: the page has no form " + id)
}

// HasForm tells whether the page has a form.
func (p *page) HasForm(id string) bool {
	for _, f := range p.Forms {
		if f.ID == id {
			return true
		}
	}
	return false
}

// Base is the address of the instance's pages.
func (p *page) Base() string { return instancePath(p.Instance.ID) }

// Tabs are the pages of an instance.
func (p *page) Tabs() []tab { return tabs }

type tab struct{ Path, Title string }

var tabs = []tab{
	{"", "Overview"}, {"/engines", "Engines"}, {"/apps", "Apps"}, {"/databases", "Databases"}, {"/console", "SQL console"},
	{"/auth", "Auth"}, {"/allowlist", "Allowlist"}, {"/connection", "Connection"}, {"/backups", "Backups"}, {"/settings", "Settings"},
}

// instancePath is the address of an instance's page, with what follows in parts.
func instancePath(id string, parts ...string) string {
	at := Root + "/instances/" + url.PathEscape(id)
	for _, part := range parts {
		at += "/" + url.PathEscape(part)
	}
	return at
}

// show is a page.
type show struct {
	pattern string
	build   func(*call) (*page, error)
}

// deed is a form of a page.
type deed struct {
	pattern string
	// build makes the page that has the form.
	build func(*call) (*page, error)
	do    func(*call) (outcome, error)
}

// outcome is what a form came to: a page to go to with a notice, or one to show at once.
type outcome struct {
	to     string
	notice notice
	show   *page
}

// show serves a page, or the stream of what is live on it.
func (c *call) show(s show) {
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
		c.did("GET " + Root + s.pattern)
	}
}

// carryOut does what a form asks for. A form that is refused is shown again as it was
// sent.
func (c *call) carryOut(d deed) {
	done, err := d.do(c)
	if err != nil {
		c.refuse(d, core.ProblemOf(err))
		return
	}
	c.did("POST " + Root + d.pattern)
	if done.show != nil {
		c.write(http.StatusOK, done.show)
		return
	}
	if done.notice != (notice{}) {
		c.sessions.leave(c.session, done.to, &done.notice)
	}
	http.Redirect(c.w, c.r, done.to, http.StatusSeeOther)
}

func (c *call) refuse(d deed, problem *core.Problem) {
	p, err := d.build(c)
	if err != nil {
		c.fail(problem) // it is the reason, whatever the page lacks
		return
	}
	for _, f := range p.Forms {
		if f.Action == c.r.URL.EscapedPath() {
			f.refuse(c.r.PostForm, problem)
			c.write(statusOf(problem), p)
			return
		}
	}
	c.fail(problem) // the form is not offered, as what it is about is gone
}

// did reports that a page or a form has done what the table of operations says of it.
func (p *Portal) did(place string) {
	for _, operation := range operations.ByPage(place) {
		p.Did(operation)
	}
}

// fail shows a refusal that no form is to blame for.
func (c *call) fail(err error) {
	problem := core.ProblemOf(err)
	title := "That did not work"
	if problem.Code == core.NotFound {
		title = "Not found"
	}
	c.write(statusOf(problem), &page{Title: title, Template: "problem", Data: sentence(problem.Detail)})
}

// statusOf is how HTTP says what kind of refusal a page shows.
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

// dress gives a page what is the session's.
func (c *call) dress(p *page) {
	p.SignedIn = true
	p.SignOut = button("sign-out", Root+"/sign-out", "Sign out")
	for _, f := range append(p.Forms, p.SignOut) {
		f.prepare(c.session.csrf)
	}
}

// write shows a page, whole or not at all.
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
	_, _ = w.Write(text.Bytes()) // nothing is left to do for a browser that has gone
}

// timeText is how a moment is shown: in UTC, as the API has it.
func timeText(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05") + " UTC" }
