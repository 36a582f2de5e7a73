package provider

import (
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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// An app that was seen running is not reported as still building if another replica lags.
func TestDeployedAppIsReadAsItRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran, older := false, 0
		fake, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
			if !strings.HasSuffix(r.URL.Path, "/apps/web") {
				return false
			}
			if ran && older < 3 {
				older++
				providertest.AnswerOlder(w, newest, "status", "building")
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
		fake, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
			switch {
			case strings.HasSuffix(r.URL.Path, "/instances/i-one"):
				if reads++; strings.Contains(newest.Body.String(), `"renamed"`) && older < 3 {
					older++
					providertest.AnswerOlder(w, newest, "status", "creating")
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
func TestOldInstanceDoesNotPassForThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.LaggingReads(t, "/instances/i-one", "plan", "free")
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		instance, err := c.Instance(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		before := instanceModel{ID: types.StringValue("i-one")}
		before.setRecord(instance, types.SetNull(types.StringType))
		before.Plan = types.StringValue("large")
		planned := before
		planned.Plan = types.StringValue("free")
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		defer turn.Leave()
		update := instanceUpdate{instanceResource: &instanceResource{resourceBase{resourceData{client: c}}}, prior: before, planned: planned, save: func(instanceModel) {}}
		if _, err := update.run(t.Context(), turn, before); err != nil {
			t.Fatal(err)
		}
		if i, _ := fake.Instance("i-one"); i.Plan != "free" {
			t.Errorf("got plan %s, want free", i.Plan)
		}
	})
}

// The same holds for an app.
func TestOldAppDoesNotPassForThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.LaggingReads(t, "/instances/i-one/apps/web", "port", 3000)
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", Engines: map[string]*fakeservice.Engine{"apps": {MemoryMB: 700}}})
		fake.AddApp("i-one", fakeservice.App{Name: "web", Repo: "octo/web", Branch: "main", Port: 8080, HealthPath: "/healthz", Public: true, MemoryMB: 512})
		before := plainApp()
		before.Port = types.Int64Value(8080)
		planned := before
		planned.Port = types.Int64Value(3000)
		turn, err := c.Enter(t.Context(), "i-one")
		if err != nil {
			t.Fatal(err)
		}
		update := appUpdate{appResource: &appResource{resourceBase{resourceData{client: c}}}, prior: before, planned: planned}
		if _, err := update.run(t.Context(), turn, appProgress{model: before, secret: secretKeysOf(nil)}); err != nil {
			t.Fatal(err)
		}
		if app, _ := fake.App("i-one", "web"); app.Port != 3000 {
			t.Errorf("got port %d, want 3000", app.Port)
		}
	})
}

// A setting is sent without a comparison.
func TestOldSettingDoesNotPassForThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.LaggingReads(t, "/instances/i-one", "console_mode", "off")
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", ConsoleMode: "rw", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		r := newConsoleModeSetting()
		r.client, r.planned = c, newPlanned()
		var diags diag.Diagnostics
		planned := consoleModeModel{InstanceID: types.StringValue("i-one"), Mode: types.StringValue("off")}
		if err := r.put(t.Context(), &planned, nil, time.Minute, &diags); err != nil {
			t.Fatal(err)
		}
		if i, _ := fake.Instance("i-one"); i.ConsoleMode != "off" {
			t.Errorf("got mode %s, want off", i.ConsoleMode)
		}
	})
}
