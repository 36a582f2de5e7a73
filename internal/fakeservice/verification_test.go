package fakeservice_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// verifications returns the events about verification and health of an instance, in order.
func (a *api) verifications(id string) []string {
	return slices.DeleteFunc(a.types(id), func(kind string) bool {
		return !slices.Contains([]string{"verify_ok", "verify_failed", "health_alert", "health_reset"}, kind)
	})
}

// An instance is verified after each deployment and once a day (SERVICE.md#verification).
func TestVerification(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres", "apps")
	a.AddApp(id, fakeservice.App{Name: "web"})
	path := "/instances/" + id + "/apps/web/actions/"
	deploy := func() {
		a.want(http.StatusAccepted, "", "POST", path+"redeploy", object{})
		a.Advance(time.Hour)
	}

	deploy()
	equal(t, "after a deployment", a.verifications(id), []string{"verify_ok"})

	a.FailStarts(fakeservice.AppMatch{App: "web"}, 1, fakeservice.AppFailure{Exited: true})
	deploy()
	want := []string{"verify_ok", "health_alert", "verify_failed"}
	equal(t, "after a deployment that fails", a.verifications(id), want)
	events := a.Events()
	equal(t, "the reason", events[len(events)-1].Data["failed"], any([]any{object{"app": "web", "reason": "the app has ended"}}))

	// A failed verification is repeated when the app changes.
	a.done("POST", path+"restart", object{})
	want = append(want, "verify_ok", "health_reset")
	equal(t, "after the repair", a.verifications(id), want)

	a.Advance(24 * time.Hour)
	equal(t, "after a day", a.verifications(id), append(want, "verify_ok"))
	equal(t, "backups after a day", len(a.want(http.StatusOK, "", "GET", "/instances/"+id+"/backups", nil).body["backups"].([]any)), 1)
}

// An engine that fails its verification makes the instance unhealthy until a job repairs it.
func TestVerificationOfEngines(t *testing.T) {
	t.Parallel()
	plane := &stubPlane{}
	a := startWith(t, plane)
	id := a.running("postgres")
	equal(t, "at first", len(a.verifications(id)), 0)
	plane.fail(fakeservice.Finding{Engine: "postgres", Reason: "it does not answer"})
	a.Advance(24 * time.Hour)
	want := []string{"verify_failed", "health_alert"}
	equal(t, "when Postgres is down", a.verifications(id), want)
	equal(t, "healthy", a.call("GET", "/instances/"+id, nil).body["monitoring"].(object)["healthy"], any(false))
	plane.fail()
	a.done("POST", "/instances/"+id+"/engines/postgres/actions/restart", object{})
	a.Advance(0) // waits for the verification
	equal(t, "after the repair", a.verifications(id), append(want, "verify_ok", "health_reset"))
}
