package appruntime

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// sandboxHere returns the sandbox that this machine offers to apps and builds, or nil.
var sandboxHere = sync.OnceValue(func() *process.Sandbox {
	sandbox, err := process.FindSandbox(context.Background(), os.Getenv("PATH"))
	if err != nil && runtime.GOOS == "linux" && machine.LacksNothing() {
		panic(err)
	}
	return sandbox
})

// open opens a Runtime that knows the test's app as octo/app, and checks that it leaves
// nothing behind.
func open(t *testing.T, set ...func(*Options)) *Runtime {
	t.Helper()
	parent := machine.PassableFolder(t, "")
	caches := must.Get(FindGoCaches(t.Context(), os.Environ()))(t)
	o := Options{
		Sandbox:      sandboxHere(),
		Go:           caches,
		Repositories: map[string]string{"octo/app": "testdata/app"},
		Environment:  append(os.Environ(), "HOSTING_API_KEY=account-secret"),
		Parent:       parent,
		Patience:     machine.Patience,
	}
	for _, change := range set {
		change(&o)
	}
	r := must.Get(Open(o))(t)
	t.Cleanup(func() {
		var groups []int
		for _, name := range r.Apps("") {
			if pid := r.Find(name).PID(); pid != 0 {
				groups = append(groups, pid)
			}
		}
		if err := r.Close(); err != nil {
			t.Errorf("close: %s", err)
		}
		for _, group := range groups {
			groupEnds(t, group)
		}
		left, err := os.ReadDir(parent)
		if err != nil || len(left) > 0 {
			t.Errorf("files of the runtime: got %v and error %v, want none", left, err)
		}
		must.Report(t, os.Remove(parent))
	})
	return r
}

func build(t *testing.T, r *Runtime, env map[string]string) *Build {
	t.Helper()
	return must.Get(r.Build(t.Context(), "octo/app", "main", env, NewBuildLog()))(t)
}

// deploy builds the test's app and runs it until it answers.
func deploy(t *testing.T, r *Runtime, name string, env map[string]string) *App {
	t.Helper()
	a := must.Get(r.App(Name{"i-1", name}))(t)
	spec := Spec{Port: 3000, HealthPath: "/healthz", Public: true, Env: env}
	old := must.Get(a.Deploy(build(t, r, env), spec))(t)
	if old != nil {
		must.Do(t, old.Discard())
	}
	mustSettle(t, a, Running)
	return a
}

func mustSettle(t *testing.T, a *App, want Status) {
	t.Helper()
	got, err := a.Settled(t.Context())
	if err != nil || got != want {
		t.Fatalf("the app: got %s and error %v, want %s; its log:\n%s", got, err, want, a.Log())
	}
}

// get requests a path of the app, and returns the status and the body.
func get(t *testing.T, a *App, path string) (int, string) {
	t.Helper()
	response, err := http.Get(a.URL() + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// mustRead requests a path of the app that must succeed.
func mustRead(t *testing.T, a *App, path string) string {
	t.Helper()
	status, body := get(t, a, path)
	if status != http.StatusOK {
		t.Fatalf("%s: got %d %s, want 200; the app's log:\n%s", path, status, body, a.Log())
	}
	return body
}

// variable returns a variable of the running app.
func variable(t *testing.T, a *App, name string) string {
	t.Helper()
	for line := range strings.Lines(mustRead(t, a, "/env")) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSuffix(value, "\n")
		}
	}
	return ""
}

func TestAppGetsWhatTheContractPromises(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	env := map[string]string{"NEXT_PUBLIC_X": "y z", "PORT": "1"}
	must.Get(a.Deploy(build(t, r, env), Spec{
		Port: 3000, HealthPath: "/healthz", Public: true, Env: env,
		Database: "postgresql://owner:p%40ss@127.0.0.1:5432/main?sslmode=verify-full", CA: "the CA",
	}))(t)
	mustSettle(t, a, Running)

	if host := mustRead(t, a, "/host"); "http://"+host != a.URL() {
		t.Errorf("the Host of a request: got %s, want that of %s", host, a.URL())
	}
	if got := variable(t, a, "NEXT_PUBLIC_X"); got != "y z" {
		t.Errorf("NEXT_PUBLIC_X: got %q, want \"y z\"", got)
	}
	if port := variable(t, a, "PORT"); port == "1" || port == "" {
		t.Errorf("PORT: got %q, want a port other than 1", port)
	}
	if strings.Contains(mustRead(t, a, "/env"), "account-secret") {
		t.Error("the app sees the account's key")
	}
	database := must.Get(url.Parse(variable(t, a, "DATABASE_URL")))(t)
	if password, _ := database.User.Password(); password != "p@ss" || database.Query().Get("sslmode") != "verify-full" {
		t.Errorf("DATABASE_URL: got %s, want the password p@ss and sslmode verify-full", database)
	}
	if ca := mustRead(t, a, "/read?file="+url.QueryEscape(database.Query().Get("sslrootcert"))); ca != "the CA" {
		t.Errorf("content of the CA file: got %q, want \"the CA\"", ca)
	}
	data := variable(t, a, "DATA_DIR")
	if sandboxHere() != nil && data != "/data" {
		t.Errorf("DATA_DIR: got %s, want /data", data)
	}
	mustRead(t, a, "/keep?text=here")
	if got := mustRead(t, a, "/read?file="+url.QueryEscape(filepath.Join(data, "kept"))); got != "here" {
		t.Errorf("the file in the data folder: got %q, want \"here\"", got)
	}
	if user := mustRead(t, a, "/user"); os.Geteuid() == 0 && user == "0" {
		t.Error("the app runs as root")
	}
	if log := a.Log(); !strings.Contains(log, "app: version") {
		t.Errorf("the app's log: got %q, want \"app: version\" in it", log)
	}
}

// A redeploy and a restart keep the data and the address.
func TestDataAndAddressStay(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := deploy(t, r, "web", map[string]string{"VERSION": "1"})
	mustRead(t, a, "/keep?text=first")
	address, before := a.URL(), a.PID()

	deploy(t, r, "web", map[string]string{"VERSION": "2"})
	if got := variable(t, a, "VERSION"); got != "2" {
		t.Errorf("VERSION: got %s, want 2", got)
	}
	if a.URL() != address || a.PID() == before {
		t.Errorf("after a redeploy: got process %d at %s, want another process than %d at %s", a.PID(), a.URL(), before, address)
	}
	must.Do(t, a.Restart(a.spec))
	mustSettle(t, a, Running)
	if got := mustRead(t, a, "/read?file="+url.QueryEscape(variable(t, a, "DATA_DIR")+"/kept")); got != "first" {
		t.Errorf("the file in the data folder: got %q, want \"first\"", got)
	}
	if n := len(glob(t, r, "build-*")); n != 1 {
		t.Errorf("stored builds: got %d, want 1", n)
	}
}

func glob(t *testing.T, r *Runtime, pattern string) []string {
	t.Helper()
	return must.Get(filepath.Glob(filepath.Join(r.folder, pattern)))(t)
}

// An app that ends, by itself or by force, is restarted, and the processes that it started
// end with it.
func TestCrash(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := deploy(t, r, "web", map[string]string{"SPAWN": "1"})
	mustRead(t, a, "/keep?text=before")
	for _, end := range []func(){
		func() { get(t, a, "/crash") },
		func() { kill(t, a.PID()) },
	} {
		pid, starts := a.PID(), a.Starts()
		end()
		machine.Until(t, "another process answers", func() bool {
			status, _ := get(t, a, "/healthz")
			return a.Starts() > starts && status == http.StatusOK
		})
		groupEnds(t, pid)
		if a.Status() != Running {
			t.Errorf("the app: got %s, want %s", a.Status(), Running)
		}
	}
	if got := mustRead(t, a, "/read?file="+url.QueryEscape(variable(t, a, "DATA_DIR")+"/kept")); got != "before" {
		t.Errorf("the file in the data folder: got %q, want \"before\"", got)
	}
	if log := a.Log(); !strings.Contains(log, "exit status 3; it is started again") || !strings.Contains(log, "killed") {
		t.Errorf("the log: got\n%s\nwant the exit status, the restart and the kill", log)
	}
}

func TestAppThatDoesNotAnswer(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	var mu sync.Mutex
	var told []Status
	var whys []*Failure
	r := open(t, func(o *Options) {
		o.Patience = 3 * time.Second
		o.StatusChanged = func(_ Name, s Status, why *Failure) {
			mu.Lock()
			defer mu.Unlock()
			told, whys = append(told, s), append(whys, why)
		}
	})
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	must.Get(a.Deploy(build(t, r, nil), Spec{Port: 3000, HealthPath: "/healthz", Public: true, Env: map[string]string{"SICK": "1"}}))(t)
	mustSettle(t, a, Failed)
	if status, body := get(t, a, "/heal"); status != http.StatusServiceUnavailable || !strings.Contains(body, "not running") {
		t.Errorf("the address of a failed app: got %d %s, want 503 with \"not running\"", status, body)
	}
	if !strings.Contains(a.Log(), "/healthz has not been answered with 200 for 3s") {
		t.Errorf("the log of the failed app: got\n%s\nwant that /healthz was not answered for 3s", a.Log())
	}
	// New variables let the app recover, and it is watched from then on. A busy machine may
	// need longer to start it than the failing app had.
	r.options.Patience = 30 * time.Second
	must.Do(t, a.Configure(Spec{Port: 3000, HealthPath: "/healthz", Public: true}))
	mustSettle(t, a, Running)
	mustRead(t, a, "/sicken")
	machine.Until(t, "the app has failed", func() bool { return a.Status() == Failed })
	mustRead(t, a, "/heal")
	machine.Until(t, "the app runs", func() bool { return a.Status() == Running })
	mu.Lock()
	defer mu.Unlock()
	if got, want := told, []Status{Failed, Starting, Running, Failed, Running}; !equal(got, want) {
		t.Errorf("the reported statuses: got %v, want %v", got, want)
	}
	for i, why := range whys {
		if (told[i] == Failed) != (why != nil) {
			t.Errorf("the reason that was reported with %s: got %v, want one: %t", told[i], why, told[i] == Failed)
		}
	}
	if why := whys[3]; why.Status != http.StatusTeapot || why.Exited || !strings.HasSuffix(why.Log, "/healthz has not been answered with 200 for 30s") {
		t.Errorf("the reason of the failure: got %+v, want status %d of a running app without an answer of 200 for 30s", why, http.StatusTeapot)
	}
}

// Problems of an older version, and problems from before the latest 200, do not count
// against an app.
func TestWhatSpeaksAgainstAnApp(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := must.Get(r.App(Name{"i-1", "web"}))(t)
	deploy := func(env map[string]string) {
		must.Get(a.Deploy(build(t, r, nil), Spec{Port: 3000, HealthPath: "/healthz", Public: true, Env: env}))(t)
	}
	deploy(map[string]string{"SICK": "1"})
	machine.Until(t, "it answers 418", func() bool { return a.failure().Status == http.StatusTeapot })
	deploy(map[string]string{"ENDS": "1"})
	machine.Until(t, "it has ended", func() bool { return a.failure().Exited })
	if why := a.failure(); why.Status != 0 || !strings.Contains(why.Log, "exit status 4; it is started again") {
		t.Errorf("the reason of the failure: got %+v, want exit status 4 and no status", why)
	}
	deploy(nil)
	mustSettle(t, a, Running)
	if why := a.failure(); why.Status != 0 || why.Exited {
		t.Errorf("the reason of the failure of an app that runs: got %+v, want none", why)
	}
	mustRead(t, a, "/sicken")
	machine.Until(t, "it answers 418", func() bool { return a.failure().Status == http.StatusTeapot })
}

func equal(a, b []Status) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestAddressOfAnAppThatIsNotPublic(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := deploy(t, r, "web", nil)
	address := a.URL()
	hidden := a.spec
	hidden.Public = false
	must.Do(t, a.Configure(hidden))
	mustSettle(t, a, Running)
	if a.URL() != "" {
		t.Errorf("the URL of an app that is not public: got %s, want none", a.URL())
	}
	if response, err := http.Get(address); err == nil {
		response.Body.Close()
		t.Errorf("the address of an app that is not public: got %s, want no answer", response.Status)
	}
	hidden.Public = true
	must.Do(t, a.Configure(hidden))
	mustSettle(t, a, Running)
	if a.URL() != address {
		t.Errorf("the URL of the app that is public again: got %s, want %s", a.URL(), address)
	}
}

// Two apps that run at the same time see neither each other nor the folder of the Runtime.
func TestAppsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, other := deploy(t, r, "one", nil), deploy(t, r, "other", nil)
	mustRead(t, one, "/keep?text=mine")
	if one.URL() == other.URL() {
		t.Errorf("the URL of the other app: got %s, want another one than that of the first", other.URL())
	}
	for _, file := range []string{filepath.Join(one.data(), "kept"), filepath.Join(variable(t, one, "DATA_DIR"), "kept")} {
		if status, body := get(t, other, "/read?file="+url.QueryEscape(file)); os.Geteuid() == 0 && status == http.StatusOK {
			t.Errorf("%s as the other app reads it: got %q, want a refusal", file, body)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := deploy(t, r, "web", map[string]string{"SPAWN": "1"})
	mustRead(t, a, "/keep?text=old")
	address, pid := a.URL(), a.PID()
	for range 2 {
		must.Do(t, r.Remove(Name{"i-1", "web"}, nil))
	}
	groupEnds(t, pid)
	if response, err := http.Get(address); err == nil {
		response.Body.Close()
		t.Errorf("the address of the removed app: got %s, want no answer", response.Status)
	}
	if left := append(glob(t, r, "app-*"), glob(t, r, "build-*")...); len(left) > 0 {
		t.Errorf("files of the removed app: got %v, want none", left)
	}
	again := deploy(t, r, "web", nil)
	if status, _ := get(t, again, "/read?file="+url.QueryEscape(variable(t, again, "DATA_DIR")+"/kept")); status != http.StatusNotFound {
		t.Errorf("the old data in a new app of the same name: got status %d, want 404", status)
	}
}
