package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

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
		p := converging(c, turn, planned, planned)
		p.progress = imported(planned, p.keys, pending)
		err = p.run(t.Context())
		if err != nil || older == 0 || p.have.Status != types.StringValue(client.AppRunning) {
			t.Errorf("after %d older records: got the status %s and error %v, want running after at least one", older, p.have.Status, err)
		}
	})
}

// A setting of an app is sent without a comparison.
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
		if err := converging(c, turn, before, planned).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if app, _ := fake.App("i-one", "web"); app.Port != 3000 {
			t.Errorf("got port %d, want 3000", app.Port)
		}
	})
}
