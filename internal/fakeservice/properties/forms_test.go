package properties

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// formFields maps operations to the members of requests that are fields with the same
// name in the portal's form. It omits forms that differ.
var formFields = map[string][]string{
	"DELETE /instances/{id}":                                nil,
	"POST /instances/{id}/actions/reset":                    {"confirm", "engine"},
	"POST /instances/{id}/actions/resize":                   {"plan"},
	"POST /instances/{id}/actions/restore":                  {"confirm", "backup_id"},
	"POST /instances/{id}/actions/rotate":                   nil,
	"POST /instances/{id}/apps/{name}/actions/redeploy":     nil,
	"POST /instances/{id}/apps/{name}/actions/restart":      nil,
	"POST /instances/{id}/engines/postgres/query":           {"sql", "database"},
	"POST /instances/{id}/engines/{engine}/actions/restart": nil,
	"POST /instances/{id}/postgres/databases":               {"name"},
	"PUT /instances/{id}/postgres/extensions/{name}":        {"database"},
	"PUT /instances/{id}/sql-console":                       {"mode"},
}

// formStatuses maps the code of a refusal to the status of the page that shows it.
var formStatuses = map[string]int{
	"console_off": 403, "not_found": 404, "job_running": 409, "not_running": 409, "already_exists": 409,
	"validation_failed": 422, "sql_error": 422, "confirm_mismatch": 422,
}

// checkForm sends a refused request as the portal's form, which must be refused for the
// same reason.
func (w *world) checkForm(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	fields, there := formFields[r.operation.String()]
	status, refused := formStatuses[codeOf(got.body)]
	if !there || !refused || r.invalid || r.stranger || r.isOutsized() {
		return
	}
	form := url.Values{}
	for _, name := range fields {
		if text, ok := r.value[name].(string); ok {
			form.Set(name, text)
		}
	}
	for _, name := range []string{"confirm", "name"} {
		if r.query.Has(name) {
			form.Set(name, r.query.Get(name))
		}
	}
	if strings.HasSuffix(r.operation.Path, "/extensions/{name}") {
		form.Set("name", r.path["name"])
	}
	page := w.send(t, a, r, form)
	w.tally.pages++
	var envelope struct{ Detail string }
	if err := json.Unmarshal(got.body, &envelope); err != nil {
		t.Fatal(err)
	}
	if page.status != status || !strings.Contains(plain(html.UnescapeString(string(page.body))), reason(envelope.Detail)) {
		t.Fatalf("the form of %s with %v: got status %d, want %d with the reason of the API: %d %s", r, form, page.status, status, got.status, got.body)
	}
}

// reason returns the detail of a refusal as a page shows it. The page omits the field's
// name, because it shows the reason next to the field, and it begins with a capital
// letter.
func reason(detail string) string {
	if before, after, found := strings.Cut(detail, ": "); found && !strings.ContainsAny(before, ` "`) {
		detail = after
	}
	_, size := utf8.DecodeRuneInString(detail)
	return plain(strings.TrimRight(detail[size:], " ."))
}

// token matches the field of a form with the session's token.
var token = regexp.MustCompile(`name="csrf" value="([^"]*)"`)

// send sends the form of an operation to the portal.
func (w *world) send(t *rapid.T, a *account, r *request, form url.Values) answer {
	t.Helper()
	profile := w.open(t, a, "GET /portal/profile", nil)
	found := token.FindSubmatch(profile.body)
	if found == nil {
		t.Fatalf("the profile: got %s, want a page with a token", profile.body)
	}
	form.Set("csrf", string(found[1]))
	at := slices.IndexFunc(r.operation.pages, func(page string) bool { return strings.HasPrefix(page, http.MethodPost+" ") })
	h := newRequest(http.MethodPost, pageOf(r.operation.pages[at], r.path), []byte(form.Encode()))
	h.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	h.AddCookie(a.cookie)
	return ask(a.service, h)
}
