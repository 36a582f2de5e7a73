package dataplane_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	fakeredis "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// records is a control plane that keeps the desired machines across the planes that run
// them. Tests add and remove them by hand.
type records struct {
	t         *testing.T
	authority core.Authority

	mu       sync.Mutex
	machines map[string]core.DesiredMachine
	// news has the last status of apps, by instance/app.
	news map[string]string
}

func newRecords(t *testing.T) *records {
	t.Helper()
	// A service without a data plane has an authority too.
	service := core.New(core.Options{})
	t.Cleanup(func() {
		must.Report(t, service.Close())
	})
	m := must.Get(service.DesiredMachine(service.AddInstance(core.Instance{}).ID))(t)
	return &records{t: t, authority: m.CA, machines: map[string]core.DesiredMachine{}, news: map[string]string{}}
}

// DesiredMachine returns the desired state of a machine.
func (r *records) DesiredMachine(id string) (core.DesiredMachine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, there := r.machines[id]
	if !there {
		return m, fmt.Errorf("unknown instance %s", id)
	}
	return m, nil
}

// Emit and SendMail do nothing.
func (r *records) Emit(string, string, map[string]any) {}
func (r *records) SendMail(core.Mail)                  {}

func (r *records) tell(id, app, news string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news[id+"/"+app] = news
}

// AppRuns and AppFailed add to news.
func (r *records) AppRuns(id, app string)                      { r.tell(id, app, "runs") }
func (r *records) AppFailed(id, app string, _ core.AppFailure) { r.tell(id, app, "failed") }

func (r *records) failed(id, app string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.news[id+"/"+app] == "failed"
}

func (r *records) forgetNews() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.news)
}

func (r *records) awaitRun(id, app string) {
	r.t.Helper()
	machine.Until(r.t, "the app runs", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.news[id+"/"+app] == "runs"
	})
}

// machine adds a machine, or replaces the engines of an existing one.
func (r *records) machine(id string, engines ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, there := r.machines[id]
	if !there {
		m = core.DesiredMachine{CA: r.authority, Limits: core.Plan{PostgresConnections: 10, DiskGB: 1}}
		m.ID, m.Credentials = id, secrets("1")
	}
	m.Engines = map[string]*core.Engine{}
	for _, name := range engines {
		m.Engines[name] = &core.Engine{MemoryMB: 64}
	}
	r.machines[id] = m
}

func secrets(edition string) core.Credentials {
	return core.Credentials{
		PostgresOwner: "owner" + edition, PostgresReadOnly: "reader" + edition, Redis: "redis" + edition, NATS: "nats" + edition, CouchDB: "couchdb" + edition,
		AuthSigningKey: strings.Repeat("k", 32), AuthAnonKey: "anon", AuthServiceKey: "service",
	}
}

func (r *records) change(id string, change func(*core.DesiredMachine)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.machines[id]
	change(&m)
	r.machines[id] = m
}

func (r *records) rotate(id string) {
	r.change(id, func(m *core.DesiredMachine) { m.Credentials = secrets("2") })
}

func (r *records) dropApps(id string) { r.change(id, func(m *core.DesiredMachine) { m.Apps = nil }) }

func (r *records) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.machines, id)
}

func (r *records) credentials(id string) core.Credentials {
	m, _ := r.DesiredMachine(id)
	return m.Credentials
}

// build adds an app to the desired machine and builds it.
func (r *records) build(p *dataplane.Plane, id, name, build string) {
	r.t.Helper()
	a := core.App{Name: name, Repo: "octo/app", Branch: "main", Port: 3000, HealthPath: "/healthz", Public: true}
	r.change(id, func(m *core.DesiredMachine) { m.Apps = []core.App{a} })
	must.Get(p.Build(r.t.Context(), id, a, build))(r.t)
}

// deploy builds an app and runs it until it answers.
func (r *records) deploy(p *dataplane.Plane, id, name, build string) {
	r.t.Helper()
	r.build(p, id, name, build)
	must.Do(r.t, p.Deploy(r.t.Context(), id, name, build))
	r.awaitRun(id, name)
	r.forgetNews()
}

// exec runs a statement as the owner, which must succeed.
func (r *records) exec(p *dataplane.Plane, id, sql string) {
	r.t.Helper()
	m := must.Get(r.DesiredMachine(id))(r.t)
	if _, err := p.Query(r.t.Context(), core.Query{Instance: m.Instance, Database: postgres.DefaultDatabase, Mode: "rw", SQL: sql}); err != nil {
		r.t.Fatalf("%s: %s", sql, err)
	}
}

// keptFolder returns a folder for a plane that every user can enter and in which programs
// can run.
func keptFolder(t *testing.T) string {
	t.Helper()
	return filepath.Join(diskFolder(t), strings.Repeat("deep", 25), "p") // too long for the path of a socket
}

func newPlane(t *testing.T, folder string) (*dataplane.Plane, error) {
	t.Helper()
	binaries := must.Get(postgres.Locate(t.Context(), ""))(t)
	o := dataplane.Options{Postgres: binaries, Keep: folder, Environment: os.Environ(), Go: fakeservicetest.GoCaches(t)}
	var err error
	if o.Redis, err = fakeredis.Locate(t.Context()); err != nil {
		machine.Lacks(t, "%s", err)
	}
	// Without it, the engine is a record. The tests that need it say so.
	o.CouchDB, _ = couchdb.Locate(t.Context(), machine.Built(t, "couchdb"))
	withRepositories(t)(&o)
	return dataplane.New(o)
}

// open opens a plane on a folder. It must be closed before the next one is opened.
func (r *records) open(folder string) *dataplane.Plane {
	r.t.Helper()
	p := must.Get(newPlane(r.t, folder))(r.t)
	r.t.Cleanup(func() {
		must.Report(r.t, p.Close())
	})
	p.Attach(r)
	r.forgetNews()
	return p
}

func equalEndpoints(a, b core.Endpoints) bool {
	same := maps.Equal(a.AppURLs, b.AppURLs)
	a.AppURLs, b.AppURLs = nil, nil
	return same && fmt.Sprint(a) == fmt.Sprint(b)
}

// signUp creates an account with a password and returns its email address.
func signUp(t *testing.T, auth, key string) string {
	t.Helper()
	user := fmt.Sprintf("u%d@example.com", time.Now().UnixNano())
	if status := postAuth(t, auth+"/signup", key, user); status != http.StatusOK {
		t.Fatalf("the sign-up: got %d, want 200", status)
	}
	return user
}

func signsIn(t *testing.T, auth, key, user string) bool {
	t.Helper()
	return postAuth(t, auth+"/token?grant_type=password", key, user) == http.StatusOK
}

func signIn(t *testing.T, auth, key, user string) {
	t.Helper()
	if !signsIn(t, auth, key, user) {
		t.Errorf("the sign-in of %s: got a refusal, want 200", user)
	}
}

func postAuth(t *testing.T, address, key, user string) int {
	t.Helper()
	body := must.Get(json.Marshal(object{"email": user, "password": "correct horse"}))(t)
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body)))(t)
	request.Header.Set("apikey", key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	must.Do(t, response.Body.Close())
	return response.StatusCode
}
