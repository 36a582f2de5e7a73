package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// replicas returns a service whose reads come from several replicas, so that a read may
// lack a change that an earlier read showed. older may answer a read in place of the
// newest replica. It returns false if it leaves the read to that one.
func replicas(t *testing.T, older func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool) (*fakeservice.Service, *client.Client) {
	t.Helper()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	t.Cleanup(func() { _ = fake.Close() })
	c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			newest := httptest.NewRecorder()
			fake.ServeHTTP(newest, r)
			if r.Method == http.MethodGet && older(w, r, newest) {
				return
			}
			for name, values := range newest.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(newest.Code)
			_, _ = w.Write(newest.Body.Bytes())
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return fake, c
}

// answerOlder answers with the newest record, but with an older value of one field.
func answerOlder(w http.ResponseWriter, newest *httptest.ResponseRecorder, field string, was any) {
	var record map[string]any
	_ = json.Unmarshal(newest.Body.Bytes(), &record)
	record[field] = was
	_ = json.NewEncoder(w).Encode(record)
}

// An app that was seen running is not reported as still building if another replica lags.
func TestDeployedAppIsReadAsItRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran, older := false, 0
		fake, c := replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
			if !strings.HasSuffix(r.URL.Path, "/apps/web") {
				return false
			}
			if ran && older < 3 {
				older++
				answerOlder(w, newest, "status", "building")
				return true
			}
			ran = ran || strings.Contains(newest.Body.String(), `"running"`)
			return false
		})
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}, "auth": {}, "apps": {MemoryMB: 700}}})
		planned := plainApp()
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		pending, err := turn.ImportApp(t.Context(), planned.newApp(nil))
		if err != nil {
			t.Fatal(err)
		}
		update := appUpdate{appResource: &appResource{resourceBase{resourceData{client: c}}}, prior: planned.unlinked(), planned: planned, imported: &pending}
		work := pendingWork{Job: pending.JobID, Build: pending.BuildID, Creating: true, Deploying: true}
		p, err := update.run(t.Context(), turn, appProgress{model: planned, secret: secretKeysOf(nil), work: work})
		if err != nil || older == 0 || p.model.Status != types.StringValue(client.AppRunning) {
			t.Errorf("after %d older records the status is %s, %v", older, p.model.Status, err)
		}
	})
}

// An instance that was seen running is not reported as still creating. Its connection
// record is read even if a replica answers that there is none yet.
func TestInstanceThatRunsIsReadAsItRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, older, refused := 0, 0, 0
		fake, c := replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
			switch {
			case strings.HasSuffix(r.URL.Path, "/instances/i-one"):
				if reads++; strings.Contains(newest.Body.String(), `"renamed"`) && older < 3 {
					older++
					answerOlder(w, newest, "status", "creating")
					return true
				}
			case strings.HasSuffix(r.URL.Path, "/connection") && refused < 4:
				refused++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader([]int{http.StatusConflict, http.StatusNotFound}[refused%2])
				_, _ = w.Write([]byte([]string{`{"detail":"it is creating","code":"job_running"}`, `{"detail":"there is none","code":"not_found"}`}[refused%2]))
				return true
			}
			return false
		})
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "one", Plan: "free", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		defer turn.Leave()
		instance, err := c.Instance(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		before := instanceModel{ID: types.StringValue("i-one")}
		before.setRecord(instance, types.SetNull(types.StringType))
		planned := before
		planned.Name = types.StringValue("renamed")
		update := instanceUpdate{instanceResource: &instanceResource{resourceBase{resourceData{client: c}}}, prior: before, planned: planned, save: func(instanceModel) {}}
		done, err := update.run(t.Context(), turn, before)
		if err != nil || older == 0 || refused == 0 || done.Status != types.StringValue(client.StatusRunning) || done.Host.IsNull() || done.CACertificate.IsNull() {
			t.Errorf("after %d older records and %d refusals: %s, %v", older, refused, done.Status, err)
		}
	})
}

// A read that lags may show the planned value although the instance has changed since. The
// change is sent anyway.
func TestOldRecordsDoNotPassForThePlan(t *testing.T) {
	null := types.SetNull(types.StringType)
	for name, row := range map[string]struct {
		path, field string
		was         any // in the older record: the planned value
		update      func(t *testing.T, c *client.Client, turn *client.Turn) error
		got         func(*fakeservice.Service) any
		want        any
	}{
		"a resize": {"/instances/i-one", "plan", "free", func(t *testing.T, c *client.Client, turn *client.Turn) error {
			instance, err := c.Instance(t.Context(), "i-one")
			if err != nil {
				return err
			}
			before := instanceModel{ID: types.StringValue("i-one")}
			before.setRecord(instance, null)
			before.Plan = types.StringValue("large")
			planned := before
			planned.Plan = types.StringValue("free")
			update := instanceUpdate{instanceResource: &instanceResource{resourceBase{resourceData{client: c}}}, prior: before, planned: planned, save: func(instanceModel) {}}
			_, err = update.run(t.Context(), turn, before)
			return err
		}, func(fake *fakeservice.Service) any { i, _ := fake.Instance("i-one"); return i.Plan }, "free"},
		"an app's port": {"/instances/i-one/apps/web", "port", 3000, func(t *testing.T, c *client.Client, turn *client.Turn) error {
			before := plainApp()
			before.Port = types.Int64Value(8080)
			planned := before
			planned.Port = types.Int64Value(3000)
			update := appUpdate{appResource: &appResource{resourceBase{resourceData{client: c}}}, prior: before, planned: planned}
			_, err := update.run(t.Context(), turn, appProgress{model: before, secret: secretKeysOf(nil)})
			return err
		}, func(fake *fakeservice.Service) any { app, _ := fake.App("i-one", "web"); return app.Port }, 3000},
		"a console's mode": {"/instances/i-one", "console_mode", "off", func(t *testing.T, c *client.Client, turn *client.Turn) error {
			turn.Leave()
			r := newConsoleModeSetting()
			r.client, r.planned = c, newPlanned()
			var diags diag.Diagnostics
			return r.put(t.Context(), &consoleModeModel{InstanceID: types.StringValue("i-one"), Mode: types.StringValue("off")}, nil, time.Minute, &diags)
		}, func(fake *fakeservice.Service) any { i, _ := fake.Instance("i-one"); return i.ConsoleMode }, "off"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				fake, c := replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
					if !strings.HasSuffix(r.URL.Path, row.path) || time.Since(begun) >= 12*time.Second {
						return false
					}
					answerOlder(w, newest, row.field, row.was)
					return true
				})
				fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", ConsoleMode: "rw", Engines: map[string]*fakeservice.Engine{"postgres": {}, "apps": {MemoryMB: 700}}})
				fake.AddApp("i-one", fakeservice.App{Name: "web", Repo: "octo/web", Branch: "main", Port: 8080, HealthPath: "/healthz", Public: true, MemoryMB: 512})
				turn, err := c.Enter(t.Context(), "i-one")
				if err != nil {
					t.Fatal(err)
				}
				if err := row.update(t, c, turn); err != nil {
					t.Fatal(err)
				}
				if got := row.got(fake); got != row.want {
					t.Errorf("got %v, want %v", got, row.want)
				}
			})
		})
	}
}
