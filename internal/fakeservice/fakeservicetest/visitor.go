package fakeservicetest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Visitor is a user of the portal without scripts: they read pages and submit forms.
type Visitor struct {
	// Client keeps the cookies, and follows redirects.
	Client *http.Client
	t      testing.TB
	server *Server
}

// Visit returns a visitor of the portal who is not signed in.
func Visit(t testing.TB, s *Server) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{Client: &http.Client{Jar: jar}, t: t, server: s}
}

// SignIn returns a visitor who is signed in.
func SignIn(t testing.TB, s *Server) *Visitor {
	t.Helper()
	v := Visit(t, s)
	account, err := s.Account(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page := v.Open("/portal/sign-in").Submit("sign-in", map[string]string{"email": account.Email, "password": s.PortalPassword()})
	if page.Status != http.StatusOK || page.Path() != "/portal/instances" {
		t.Fatalf("the sign-in ended at %s with %d", page.Path(), page.Status)
	}
	return v
}

// Open reads a page, given its path below the root or its URL.
func (v *Visitor) Open(address string) *Page {
	v.t.Helper()
	return v.do(http.MethodGet, address, nil)
}

// Post submits a form that is not on a page.
func (v *Visitor) Post(path string, values url.Values) *Page {
	v.t.Helper()
	return v.do(http.MethodPost, path, values)
}

func (v *Visitor) do(method, address string, values url.Values) *Page {
	v.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.server.RootURL + address
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(values.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", v.server.RootURL)
	}
	response, err := v.Client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		v.t.Fatal(err)
	}
	return &Page{Status: response.StatusCode, Header: response.Header, HTML: string(text), visitor: v, url: response.Request.URL, root: root}
}

// Page is a page that a visitor reads.
type Page struct {
	Status int
	Header http.Header
	HTML   string

	visitor *Visitor
	url     *url.URL
	root    *html.Node
}

// Path returns the page's path, after redirects.
func (p *Page) Path() string { return p.url.EscapedPath() }

// Text returns the text of the page, its words separated by single spaces.
func (p *Page) Text() string {
	var words []string
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// Find returns the first element with this value of an attribute, or nil.
func (p *Page) Find(attribute, value string) *html.Node {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && attributeOf(n, attribute) == value {
			return n
		}
	}
	return nil
}

// HasForm reports whether the page has a form with an id.
func (p *Page) HasForm(id string) bool {
	found := p.Find("id", id)
	return found != nil && found.Data == "form"
}

// Values returns the values that an unchanged form would send.
func (p *Page) Values(id string) url.Values {
	p.visitor.t.Helper()
	if !p.HasForm(id) {
		p.visitor.t.Fatalf("%s has no form %s; it says: %s", p.Path(), id, p.Text())
	}
	values := url.Values{}
	for n := range p.Find("id", id).Descendants() {
		name := attributeOf(n, "name")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "textarea":
			values.Set(name, strings.TrimPrefix(textOf(n), "\n"))
		case n.Data == "select":
			values.Set(name, selected(n))
		case n.Data == "input" && isTicked(n):
			values.Set(name, attributeOf(n, "value"))
		}
	}
	return values
}

// Submit submits a form with changed values in some of its fields; "" unticks a checkbox.
// The test fails if the form lacks a field.
func (p *Page) Submit(id string, changed map[string]string) *Page {
	p.visitor.t.Helper()
	values := p.Values(id)
	form := p.Find("id", id)
	for name, value := range changed {
		field := p.fieldOf(form, name)
		if field == nil {
			p.visitor.t.Fatalf("the form %s has no field %s", id, name)
		}
		if values.Set(name, value); attributeOf(field, "type") == "checkbox" && value == "" {
			values.Del(name)
		}
	}
	return p.visitor.Post(attributeOf(form, "action"), values)
}

// Value returns the value of a form's field.
func (p *Page) Value(form, name string) string {
	p.visitor.t.Helper()
	return p.Values(form).Get(name)
}

// Complaint returns the page's error message for a field.
func (p *Page) Complaint(form, name string) string {
	p.visitor.t.Helper()
	field := p.fieldOf(p.Find("id", form), name)
	if field == nil || attributeOf(field, "aria-invalid") != "true" {
		return ""
	}
	for id := range strings.FieldsSeq(attributeOf(field, "aria-describedby")) {
		if strings.HasSuffix(id, "-error") {
			return strings.TrimSpace(textOf(p.Find("id", id)))
		}
	}
	return ""
}

func (p *Page) fieldOf(form *html.Node, name string) *html.Node {
	for n := range form.Descendants() {
		if n.Type == html.ElementNode && attributeOf(n, "name") == name {
			return n
		}
	}
	return nil
}

// isTicked reports whether the form would send an input.
func isTicked(n *html.Node) bool {
	switch attributeOf(n, "type") {
	case "checkbox", "radio":
		return hasAttribute(n, "checked")
	}
	return true
}

// selected returns the value of the selected option, or of the first one if none is
// selected.
func selected(n *html.Node) string {
	first, any := "", false
	for one := range n.Descendants() {
		if one.Type != html.ElementNode || one.Data != "option" {
			continue
		}
		if hasAttribute(one, "selected") {
			return attributeOf(one, "value")
		}
		if !any {
			first, any = attributeOf(one, "value"), true
		}
	}
	return first
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for one := range n.Descendants() {
		if one.Type == html.TextNode {
			text.WriteString(one.Data)
		}
	}
	return text.String()
}
