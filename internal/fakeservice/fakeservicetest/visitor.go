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

// Visitor is somebody at the portal, without a script: they read pages and send forms.
type Visitor struct {
	// Client keeps the cookies, and is led on by redirects.
	Client *http.Client
	t      testing.TB
	server *Server
}

// Visit comes to the portal, not signed in.
func Visit(t testing.TB, s *Server) *Visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Visitor{Client: &http.Client{Jar: jar}, t: t, server: s}
}

// SignIn comes to the portal and signs in.
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

// Open reads a page, at an address below the root or a whole one.
func (v *Visitor) Open(address string) *Page {
	v.t.Helper()
	return v.do(http.MethodGet, address, nil)
}

// Post sends a form that is on no page.
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

// Page is what a visitor reads.
type Page struct {
	Status int
	Header http.Header
	HTML   string

	visitor *Visitor
	url     *url.URL
	root    *html.Node
}

// Path is where the page is, after redirects.
func (p *Page) Path() string { return p.url.EscapedPath() }

// Text is what the page says, its words parted by single spaces.
func (p *Page) Text() string {
	var words []string
	for n := range p.root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// Find is the first element with an attribute of a value, or nil.
func (p *Page) Find(attribute, value string) *html.Node {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && attributeOf(n, attribute) == value {
			return n
		}
	}
	return nil
}

// HasForm tells whether the page has a form of an id.
func (p *Page) HasForm(id string) bool {
	found := p.Find("id", id)
	return found != nil && found.Data == "form"
}

// Values are what a form would send as it is.
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

// Submit sends a form with other values in some of its fields; "" unticks a checkbox. It
// is an error of the test if the form has no such field.
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

// Value is what a field of a form holds, and Complaint what is said to be wrong with it.
func (p *Page) Value(form, name string) string {
	p.visitor.t.Helper()
	return p.Values(form).Get(name)
}

// Complaint is what the page says is wrong with a field.
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

// isTicked tells whether an input is sent.
func isTicked(n *html.Node) bool {
	switch attributeOf(n, "type") {
	case "checkbox", "radio":
		return hasAttribute(n, "checked")
	}
	return true
}

// selected is the value of the option that is chosen, the first one where none is.
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
