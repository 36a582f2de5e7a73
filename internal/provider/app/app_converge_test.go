package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// A lagging replica shows an older app of the same name, with a different port, other
// variables and the links of the new app. The new app is linked anyway, and nothing else
// about it is changed.
func TestNewAppIsLinkedThoughAnOlderOneIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}, "auth": {}, "apps": {MemoryMB: 700}}})
		var patches []string
		isImported := false
		older := 0
		served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			const app = "/instances/i-one/apps/web"
			switch {
			case strings.HasSuffix(r.URL.Path, "/apps/import"):
				isImported = true
			case r.Method == http.MethodPatch:
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				patches = append(patches, string(body))
			case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, app) && isImported && older < 4:
				older++
				_ = json.NewEncoder(w).Encode(map[string]any{"name": "web", "repo": "octo/web", "branch": "main", "port": 1, "health_path": "/healthz", "public": true,
					"memory_mb": 512, "env": map[string]string{"OLD": "1"}, "links": []string{"auth"}, "status": "running"})
				return
			}
			fake.ServeHTTP(w, r)
		})
		c := providertest.Client(t, served)
		planned := plainApp()
		planned.Links, planned.Env = providertest.Texts("auth"), stringsMap(map[string]string{"A": "1"})
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		pending, err := turn.ImportApp(t.Context(), planned.newApp(map[string]string{"A": "1"}))
		if err != nil {
			t.Fatal(err)
		}
		p := converging(c, turn, planned, planned)
		p.progress, p.env = imported(planned, p.keys, pending), map[string]string{"A": "1"}
		err = p.run(t.Context())
		if err != nil || p.have.Status != types.StringValue(client.AppRunning) {
			t.Fatalf("the update: got the status %s and error %v, want running", p.have.Status, err)
		}
		app, _ := fake.App("i-one", "web")
		if older == 0 || len(patches) != 1 || patches[0] != `{"links":["auth"]}` || len(app.Links) != 1 || len(app.Builds) != 1 {
			t.Errorf("after %d older records: got PATCHes %q, links %q and %d builds, want one PATCH of the link, one link and one build", older, patches, app.Links, len(app.Builds))
		}
	})
}

// While an app is built, other resources may change its instance.
func TestBuildLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"apps": {MemoryMB: 700}}})
		var c *client.Client
		var entered []error
		served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/apps/web/builds") && len(entered) == 0 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				turn, err := c.Enter(ctx, "i-one")
				if err == nil {
					turn.Leave()
				}
				entered = append(entered, err)
			}
			fake.ServeHTTP(w, r)
		})
		c = providertest.Client(t, served)
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		defer turn.Leave()
		planned := plainApp()
		pending, err := turn.ImportApp(t.Context(), planned.newApp(nil))
		if err != nil {
			t.Fatal(err)
		}
		p := converging(c, turn, planned, planned)
		p.progress = imported(planned, p.keys, pending)
		if err := p.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(entered) != 1 || entered[0] != nil {
			t.Errorf("got %v from the queue during the build, want its head", entered)
		}
	})
}

// A failed job has changed nothing. A field that the record hides is then the state's,
// and a plan that keeps that value sends nothing, which would restart the app.
func TestHiddenFieldAfterAFailedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
			if !strings.HasSuffix(r.URL.Path, "/apps/web") {
				return false
			}
			var record map[string]any
			_ = json.Unmarshal(newest.Body.Bytes(), &record)
			delete(record, "port")
			_ = json.NewEncoder(w).Encode(record)
			return true
		})
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"apps": {MemoryMB: 700}}})
		fake.AddApp("i-one", fakeservice.App{Name: "web", Repo: "octo/web", Branch: "main", Port: 3000, HealthPath: "/healthz", Public: true, MemoryMB: 512})
		fake.FailJobs(fakeservice.JobMatch{}, 1, "broken", "broken")
		state := plainApp() // port 3000
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		// An interrupted apply has sent the port 8080. The configuration has the old one again.
		pending, err := turn.UpdateApp(t.Context(), "web", client.AppSettings{Port: client.Some[int64](8080)})
		if err != nil {
			t.Fatal(err)
		}
		p := converging(c, turn, state, state)
		p.note = note{Phase: changing, Job: pending.JobID, Sent: []string{"port"}}
		if err := p.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(fake.Jobs()); got != 1 {
			t.Errorf("jobs: got %d, want only the failed one", got)
		}
	})
}

// A commit or build_id that could not be read after a build would be that of an older one.
// Without a build they are only informational.
func TestBuildsThatCannotBeRead(t *testing.T) {
	for name, built := range map[string]bool{"after a build": true, "without a build": false} {
		t.Run(name, func(t *testing.T) {
			app := plainApp()
			c := providertest.Client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(r.URL.Path, "/builds") {
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"status":403,"code":"forbidden","detail":"No."}`))
					return
				}
				_ = json.NewEncoder(w).Encode(map[string]any{"name": "web", "repo": "octo/web", "status": "running"})
			}))
			p := converging(c, nil, app, app)
			p.deployed = built
			if err := p.finish(t.Context()); (err != nil) != built {
				t.Errorf("got error %v, want one only after a build", err)
			}
		})
	}
}
