package dataplane_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// withRepositories provides two repositories: octo/app works, and octo/broken does not
// build.
func withRepositories(t *testing.T) func(*dataplane.Options) {
	t.Helper()
	broken := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(broken, "hosting.json"), []byte(`{"build": "echo no luck; exit 1", "start": "x"}`), 0o600))
	return func(o *dataplane.Options) {
		o.Repositories = map[string]string{"octo/app": "../appruntime/testdata/app", "octo/broken": broken}
		o.Patience = machine.Patience
	}
}

// fullBox creates an instance with the engines postgres, apps and auth.
func (f *fake) fullBox() *box {
	f.t.Helper()
	b := f.box()
	f.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}})
	return b
}

// importApp imports a repository as the app web and waits until its build has ended.
func (b *box) importApp(repo string, env object) fakeservice.App {
	b.t.Helper()
	b.SetDuration("build", time.Millisecond)
	b.done("POST", b.path+"/apps/import", object{
		"repo": repo, "branch": "main", "name": "web", "port": 3000, "health_path": "/healthz", "public": true, "env": env,
	})
	return b.settled("web")
}

// settled waits until the newest build of the app has ended and the app runs or has
// failed.
func (b *box) settled(name string) fakeservice.App {
	b.t.Helper()
	var a fakeservice.App
	machine.Until(b.t, "no build of the app goes on", func() (ok bool) {
		if a, ok = b.App(b.id, name); !ok {
			b.t.Fatalf("the app %s: got none, want one", name)
		}
		return len(a.Builds) > 0 && !a.Builds[0].InProgress() && a.Status != fakeservice.StatusBuilding
	}, func() string {
		return fmt.Sprintf("the app is %s, its builds are %v, its log:\n%s", a.Status, a.Builds, b.AppLog(b.id, name))
	})
	return a
}

func (b *box) mustRun(a fakeservice.App) fakeservice.App {
	b.t.Helper()
	if a.Status != fakeservice.StatusRunning || a.URL == "" {
		b.t.Fatalf("the app: got %s at %q with the builds %v, want it running with a URL; its log:\n%s", a.Status, a.URL, a.Builds, b.AppLog(b.id, a.Name))
	}
	return a
}

// ask requests a page of the app.
func ask(t *testing.T, address, path string) (int, string) {
	t.Helper()
	response, err := http.Get(address + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

func mustAsk(t *testing.T, address, path string) string {
	t.Helper()
	status, text := ask(t, address, path)
	if status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200", path, status, text)
	}
	return text
}

// variable returns the value of a variable of the running app.
func variable(t *testing.T, address, name string) string {
	t.Helper()
	for line := range strings.Lines(mustAsk(t, address, "/env")) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSuffix(value, "\n")
		}
	}
	return ""
}

func keep(t *testing.T, address, text string) {
	t.Helper()
	mustAsk(t, address, "/keep?text="+url.QueryEscape(text))
}

func kept(t *testing.T, address string) string {
	t.Helper()
	file := filepath.Join(variable(t, address, "DATA_DIR"), "kept")
	_, text := ask(t, address, "/read?file="+url.QueryEscape(file))
	return text
}

// The app gets a database that it can use regardless of the allowlist, and new passwords
// when they change.
func TestAppAndItsDatabase(t *testing.T) {
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	a := b.mustRun(b.importApp("octo/app", object{"NEXT_PUBLIC_X": "y"}))
	if got := variable(t, a.URL, "NEXT_PUBLIC_X"); a.Builds[0].Commit == "" || got != "y" {
		t.Errorf("got the build %v and NEXT_PUBLIC_X %q, want a build with a commit and y", a.Builds[0], got)
	}
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"203.0.113.7"}})
	connects := func(link string) error {
		// The path of the CA's file is only valid inside the app, so the test uses its
		// own file.
		u := must.Get(url.Parse(link))(t)
		query := u.Query()
		if query.Get("sslmode") != "verify-full" || mustAsk(t, a.URL, "/read?file="+url.QueryEscape(query.Get("sslrootcert"))) != b.connection().Certificate {
			t.Errorf("the database URL of the app: got %s, want verify-full with the CA of the connection record", u.RawQuery)
		}
		query.Del("sslrootcert")
		u.RawQuery = query.Encode()
		conn, err := b.dial(u.String())
		if err == nil {
			b.exec(conn, "CREATE TABLE IF NOT EXISTS t (n INT)", "INSERT INTO t VALUES (1)")
		}
		return err
	}
	before := variable(t, a.URL, "DATABASE_URL")
	if err := connects(before); err != nil {
		t.Errorf("the app's database: %s", err)
	}
	keep(t, a.URL, "stays")
	b.done("POST", b.path+"/actions/rotate", object{})
	after := ""
	machine.Until(t, "the app has the new password", func() bool {
		status, text := ask(t, a.URL, "/env")
		if status != http.StatusOK || strings.Contains(text, before) {
			return false
		}
		after = variable(t, a.URL, "DATABASE_URL")
		return true
	})
	if err := connects(after); err != nil {
		t.Errorf("the app's database after a rotation: got error %v, want none", err)
	}
	if err := connects(before); err == nil {
		t.Error("the app's database with the old password: got no error, want one")
	}
	for _, restart := range []string{"/apps/web/actions/restart", "/engines/postgres/actions/restart", "/engines/apps/actions/restart", "/engines/auth/actions/restart"} {
		b.done("POST", b.path+restart, object{})
		b.mustRun(b.settled("web"))
		machine.Until(t, "the app answers", func() bool { status, _ := ask(t, a.URL, "/healthz"); return status == http.StatusOK })
		if got := kept(t, a.URL); got != "stays" {
			t.Errorf("the app's data after %s: got %q, want stays", restart, got)
		}
		if n := b.count(b.inside(variable(t, a.URL, "DATABASE_URL")), "SELECT count(*) FROM t"); n != 2 {
			t.Errorf("rows after %s: got %d, want 2", restart, n)
		}
	}
}

// inside connects as the app does, but with the test's own file of the CA.
func (b *box) inside(link string) *pgx.Conn {
	b.t.Helper()
	link, _, _ = strings.Cut(link, "?")
	return must.Get(b.dial(link + "?sslmode=verify-full"))(b.t)
}

// process returns the process id of an engine, or 0.
func (b *box) process(engine string) int {
	for _, p := range b.Processes(b.id) {
		if p.Engine == engine {
			return p.PID
		}
	}
	return 0
}

// A change without a build takes effect with a restart.
func TestAppChanges(t *testing.T) {
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	a := b.mustRun(b.importApp("octo/app", object{}))
	keep(t, a.URL, "stays")
	b.done("PATCH", b.path+"/apps/web", object{"public": false})
	if hidden, _ := b.App(b.id, "web"); hidden.URL != "" || hidden.Status != fakeservice.StatusRunning {
		t.Errorf("an app that is not public: got %s at %q, want %s without a URL", hidden.Status, hidden.URL, fakeservice.StatusRunning)
	}
	if status, _ := ask(t, a.URL, "/healthz"); status != 0 {
		t.Errorf("the address of an app that is not public: got status %d, want no answer", status)
	}
	b.done("PATCH", b.path+"/apps/web", object{"public": true, "links": []string{"auth"}})
	again := b.mustRun(b.settled("web"))
	if text := kept(t, again.URL); again.URL != a.URL || text != "stays" || len(again.Builds) != 1 {
		t.Errorf("the app that is public again: got %s with %q after %d builds, want %s with stays after one build", again.URL, text, len(again.Builds), a.URL)
	}
}

// A backup contains the app's data, and a reset empties it.
func TestBackupsOfApps(t *testing.T) {
	t.Parallel()
	b := start(t, withRepositories(t)).fullBox()
	a := b.mustRun(b.importApp("octo/app", object{}))
	keep(t, a.URL, "worth keeping")
	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id})
	machine.Until(t, "the app answers", func() bool { status, _ := ask(t, a.URL, "/healthz"); return status == http.StatusOK })
	if text := kept(t, a.URL); strings.Contains(text, "worth keeping") {
		t.Errorf("the data after a reset: got %q, want none", text)
	}
	in, _ := b.Instance(b.id)
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": in.Backups[0].ID})
	machine.Until(t, "the app answers", func() bool { status, _ := ask(t, a.URL, "/healthz"); return status == http.StatusOK })
	if text := kept(t, a.URL); text != "worth keeping" {
		t.Errorf("the restored data: got %q, want worth keeping", text)
	}
}

// Apps and the auth engine end when their engine is turned off, and when the fake ends.
func TestAppsGo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must.Do(t, os.Chmod(folder, 0o755))
	f := start(t, withRepositories(t), func(o *dataplane.Options) { o.AppsFolder = folder })
	one, other := f.fullBox(), f.fullBox()
	first, second := one.mustRun(one.importApp("octo/app", object{})), other.mustRun(other.importApp("octo/app", object{}))
	if first.URL == second.URL {
		t.Errorf("the URLs of both apps: got %s twice, want two", first.URL)
	}
	keep(t, first.URL, "one")
	if text := kept(t, second.URL); text == "one" {
		t.Errorf("the data of another instance's app: got %q, want none of the first", text)
	}
	pids := []int{one.process(fakeservice.EngineApps), other.process(fakeservice.EngineApps)}
	f.done("PUT", one.path+"/engines", object{"engines": object{"postgres": object{}}})
	if one.process(fakeservice.EngineApps) != 0 {
		t.Error("the process of an app without the apps engine: got one, want none")
	}
	if status, _ := ask(t, first.URL, "/healthz"); status != 0 {
		t.Errorf("the address of the app: got status %d, want no answer", status)
	}
	f.done("DELETE", other.path+"?confirm="+other.id, nil)
	third := f.fullBox()
	third.mustRun(third.importApp("octo/app", object{}))
	pids = append(pids, third.process(fakeservice.EngineApps))
	must.Report(t, f.Close())
	for _, pid := range pids {
		if slices.ContainsFunc(processes.List(t), func(p processes.Process) bool { return p.ID == pid }) {
			t.Errorf("the process %d after Close: got one, want none", pid)
		}
	}
	if names := left(t, folder); len(names) > 0 {
		t.Errorf("files after Close: got %v, want none", names)
	}
}
