package properties

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"pgregory.net/rapid"
)

// shown maps operations to the members of a record that the corresponding page shows. A
// member of each element of a list is written with a dot.
var shown = map[string][]string{
	"GET /instances":                               {"instances.id", "instances.name", "instances.plan", "instances.region", "instances.tags"},
	"GET /instances/{id}":                          {"name", "plan", "region", "host", "console_mode", "allowlist"},
	"GET /instances/{id}/allowlist":                {"allowlist"},
	"GET /instances/{id}/sql-console":              {"mode"},
	"GET /instances/{id}/connection":               {"host"},
	"GET /instances/{id}/backups":                  {"backups.kind"},
	"GET /instances/{id}/postgres/databases":       {"databases.name"},
	"GET /instances/{id}/postgres/extensions":      {"extensions.name", "extensions.database"},
	"GET /instances/{id}/apps":                     {"apps.name"},
	"GET /instances/{id}/apps/{name}":              {"name", "repo", "branch", "health_path", "url", "status", "links"},
	"GET /instances/{id}/apps/{name}/builds":       {"builds.id", "builds.status"},
	"GET /instances/{id}/engines/auth/settings":    {"site_url", "redirect_urls"},
	"GET /jobs/{id}":                               {"id", "status"},
	"GET /plans":                                   {"plans.name"},
	"GET /locations":                               {"locations.id", "locations.name"},
	"GET /me":                                      {"email", "name", "company", "address", "vat_id"},
	"GET /billing":                                 {"subscriptions.instance_id", "subscriptions.plan", "subscriptions.status", "charges.instance_id", "charges.description"},
	"GET /webhooks":                                {"webhooks.url"},
	"GET /webhooks/{id}":                           {"url"},
	"GET /guides/apps":                             nil,
	"GET /instances/{id}/engines/postgres/console": {"mode"},
}

// compareFaces checks that the portal's pages show the same data as the API, and no data
// of missing objects.
func (w *world) compareFaces(t *rapid.T) {
	a := w.actor(t)
	v := &values{t: t, of: a}
	for _, o := range document() {
		if o.mutates() || o.Path == "/guides/apps" || !v.oneIn(3) {
			continue
		}
		v.operation = o
		r := &request{operation: o, path: v.pathOf(w), scheme: "Bearer", key: "key-of-" + a.mark}
		got := ask(a.service, r.http())
		page := w.open(t, a, o.pages[0], r.path)
		w.tally.pages++
		switch {
		case page.status >= 500:
			t.Fatalf("the page of %s: got %d %s, want no mistake of the service", r, page.status, page.body)
		case got.status == http.StatusNotFound && a.lacks(r) && page.status != http.StatusNotFound:
			t.Fatalf("the page of %s: got status %d, want %d as from the API", r, page.status, got.status)
		case got.status != http.StatusOK:
			continue
		case page.status != http.StatusOK:
			t.Fatalf("the page of %s: got status %d, want %d as from the API", r, page.status, got.status)
		}
		text := plain(html.UnescapeString(string(page.body)))
		for _, member := range shown[o.String()] {
			for _, value := range texts(decoded(t, got.body), strings.Split(member, ".")) {
				if !strings.Contains(text, plain(value)) {
					t.Fatalf("the page of %s: got no %s %q, want it as in the answer of the API", r, member, value)
				}
			}
		}
		w.checkPrivacy(t, a, r, page)
	}
}

// plain returns a text without control characters, which a page may show differently.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
}

// texts returns the texts at a member of a record.
func texts(record any, member []string) []string {
	switch record := record.(type) {
	case string:
		return []string{record}
	case []any:
		var all []string
		for _, element := range record {
			all = append(all, texts(element, member)...)
		}
		return all
	case map[string]any:
		if len(member) > 0 {
			return texts(record[member[0]], member[1:])
		}
	}
	return nil
}

// pageOf returns the path of a page or a form of the portal.
func pageOf(page string, path map[string]string) string {
	_, target, _ := strings.Cut(page, " ")
	for _, name := range parameters(target) {
		value, there := path[name]
		if !there { // {job} and {endpoint} are ids too
			value = path["id"]
		}
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(value))
	}
	return target
}

// open reads a page of the portal and signs in if necessary.
func (w *world) open(t *rapid.T, a *account, page string, path map[string]string) answer {
	t.Helper()
	target := pageOf(page, path)
	if got := a.show(t, target); got.status != http.StatusSeeOther {
		return got
	}
	// The session has ended, or there was none.
	form := url.Values{"email": {a.email(t)}, "password": {"password"}}
	h := newRequest(http.MethodPost, "/portal/sign-in", []byte(form.Encode()))
	h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answered := http.Response{Header: ask(a.service, h).header}
	cookies := answered.Cookies()
	if len(cookies) != 1 {
		t.Fatalf("the cookies of the sign-in at the portal of %s: got %d, want 1", a.mark, len(cookies))
	}
	a.cookie = cookies[0]
	return a.show(t, target)
}

// show requests a page of the portal.
func (a *account) show(t *rapid.T, target string) answer {
	t.Helper()
	h := newRequest(http.MethodGet, target, nil)
	if a.cookie != nil {
		h.AddCookie(a.cookie)
	}
	return ask(a.service, h)
}

func (a *account) email(t *rapid.T) string {
	account, err := a.service.Account(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return account.Email
}
