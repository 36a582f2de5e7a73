package instance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

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
		turn, before := enterOne(t, c)
		planned := before
		planned.Name = types.StringValue("renamed")
		done, err := converge(t, c, turn, before, planned)
		if err != nil || older == 0 || refused == 0 || done.Status != types.StringValue(client.StatusRunning) || done.Host.IsNull() || done.CACertificate.IsNull() {
			t.Errorf("after %d older records and %d refusals: got status %s and error %v, want running with a host and a CA certificate, after at least one of each", older, refused, done.Status, err)
		}
	})
}

// A name is sent without a comparison.
func TestOldInstanceDoesNotPassForThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.LaggingReads(t, "/instances/i-one", "name", "test")
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Name: "other", Plan: "large", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		turn, before := enterOne(t, c)
		before.Name = types.StringValue("other")
		planned := before
		planned.Name = types.StringValue("test")
		if _, err := converge(t, c, turn, before, planned); err != nil {
			t.Fatal(err)
		}
		if i, _ := fake.Instance("i-one"); i.Name != "test" {
			t.Errorf("got name %s, want test", i.Name)
		}
	})
}

// enterOne takes the head of the queue of instance i-one until the test ends, and returns
// the state of the instance.
func enterOne(t *testing.T, c *client.Client) (*client.Turn, instanceModel) {
	t.Helper()
	turn, err := c.Enter(t.Context(), "i-one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(turn.Leave)
	instance, err := c.Instance(t.Context(), "i-one")
	if err != nil {
		t.Fatal(err)
	}
	m := instanceModel{ID: types.StringValue("i-one")}
	m.setRecord(instance, types.SetNull(types.StringType))
	return turn, m
}

// converge turns an instance that runs into the planned one.
func converge(t *testing.T, c *client.Client, turn *client.Turn, before, planned instanceModel) (instanceModel, error) {
	t.Helper()
	run := convergence{
		instanceResource: &instanceResource{base.Resource{Data: base.Data{Client: c}}}, turn: turn,
		goal: goal{prior: before, planned: planned}, progress: progress{have: before, created: true},
	}
	err := run.run(t.Context())
	return run.have, err
}
