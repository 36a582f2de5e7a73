package portal_test

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// An app that failed shows its status, the last answer of its health path and the end of
// its log. If its newest build failed, the page shows the end of that log.
func TestFailedAppShowsItsReason(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web", HealthPath: "/ready", Builds: []fakeservice.Build{
		{ID: "b-1", Status: "failed", Error: "undefined: message"}, {ID: "b-0", Status: "successful"},
	}})
	s.AppFailed(in.ID, "web", fakeservice.AppFailure{Status: 503, Log: "connection refused"})
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID + "/apps"
	page := v.Open(at + "/web")
	for _, want := range []string{"Why the app failed Status failed Last answer of /ready 503 Service Unavailable", "connection refused", "Why the newest build failed", "undefined: message"} {
		if !strings.Contains(page.Text(), want) {
			t.Errorf("the page of the app: got %s, want %q", page.Text(), want)
		}
	}
	if list := v.Open(at).Text(); !strings.Contains(list, "Its health path answered 503 Service Unavailable.") {
		t.Errorf("the list of apps: got %s, want the reason", list)
	}
	s.AppFailed(in.ID, "web", fakeservice.AppFailure{Exited: true})
	if text := v.Open(at + "/web").Text(); !strings.Contains(text, "Last answer of /ready none Process it ended The app wrote nothing") {
		t.Errorf("the page of an app that ended: got %s, want no answer and no log", text)
	}
}

// Logs and the key that is shown once have copy buttons, which name an element of the page.
func TestTextsCanBeCopied(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web", Builds: []fakeservice.Build{{ID: "b-1", Status: "failed", Error: "undefined: message"}}})
	v := fakeservicetest.SignIn(t, s)
	at := "/portal/instances/" + in.ID
	for id, page := range map[string]*fakeservicetest.Page{
		"log":              v.Open(at + "/apps/web/builds/b-1"),
		"failed-build-log": v.Open(at + "/apps/web"),
		"secret":           v.Open("/portal/access").Submit("key", map[string]string{"name": "ci"}),
	} {
		if page.Find("data-copy", id) == nil || page.Find("id", id) == nil {
			t.Errorf("%s: got no copy button of %s, want one: %s", page.Path(), id, page.HTML)
		}
	}
}

// The title of a page names the page and its instance. No two pages of an instance have the
// same title.
func TestTitles(t *testing.T) {
	t.Parallel()
	s := fakeservicetest.Start(t)
	in := box(s)
	s.AddApp(in.ID, fakeservice.App{Name: "web", Builds: []fakeservice.Build{{ID: "b-1", Status: "successful"}}})
	v := fakeservicetest.SignIn(t, s)
	for path, want := range map[string]string{
		"": "Overview · box", "/engines": "Engines · box", "/apps": "Apps · box", "/apps/web": "App web · box",
		"/apps/web/builds/b-1": "Build b-1 of web · box", "/databases": "Databases · box", "/console": "SQL console · box",
		"/auth": "Auth · box", "/allowlist": "Allowlist · box", "/connection": "Connection · box", "/backups": "Backups · box",
		"/settings": "Settings · box",
	} {
		page := v.Open("/portal/instances/" + in.ID + path)
		if _, after, _ := strings.Cut(page.HTML, "<title>"); !strings.HasPrefix(after, want+" · Instance hosting</title>") {
			t.Errorf("the title of %s: got %.60s, want %s", path, after, want)
		}
	}
}
