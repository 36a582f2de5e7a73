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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
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
		imported := false
		older := 0
		served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			const app = "/instances/i-one/apps/web"
			switch {
			case strings.HasSuffix(r.URL.Path, "/apps/import"):
				imported = true
			case r.Method == http.MethodPatch:
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				patches = append(patches, string(body))
			case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, app) && imported && older < 4:
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
		update := appUpdate{appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, prior: planned.unlinked(), planned: planned, env: map[string]string{"A": "1"}, imported: &pending}
		work := base.PendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
		p, err := update.run(t.Context(), turn, appProgress{model: update.prior, secret: secretKeysOf(nil), work: work})
		if err != nil || p.model.Status != types.StringValue(client.AppRunning) {
			t.Fatalf("the update: got the status %s and error %v, want running", p.model.Status, err)
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
		update := appUpdate{appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, prior: planned.unlinked(), planned: planned, imported: &pending}
		work := base.PendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
		if _, err := update.run(t.Context(), turn, appProgress{model: planned, secret: secretKeysOf(nil), work: work}); err != nil {
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
		other := state
		other.Port = types.Int64Value(8080)
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		// An interrupted apply has sent the port 8080. The configuration has the old one again.
		pending, err := appDifference(state, other, recordOfModel(state), nil, false)[0].send(t.Context(), turn, "web", nil)
		if err != nil {
			t.Fatal(err)
		}
		work := base.PendingWork{Job: pending.JobID, Unsure: []string{"port"}}
		update := appUpdate{appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, prior: state.withUnknown(work.Unsure), planned: state}
		if _, err := update.run(t.Context(), turn, appProgress{model: state, secret: secretKeysOf(nil), work: work}); err != nil {
			t.Fatal(err)
		}
		if got := len(fake.Jobs()); got != 1 {
			t.Errorf("jobs: got %d, want only the failed one", got)
		}
	})
}
