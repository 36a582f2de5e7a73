package dataplane_test

import (
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// verifications returns the results of the verifications, in order: nil for one that
// succeeded, and the engines and apps that failed otherwise.
func (b *box) verifications() (results [][]any) {
	for _, e := range b.Events() {
		switch e.Type {
		case "verify_ok":
			results = append(results, nil)
		case "verify_failed":
			failed, _ := e.Data["failed"].([]any)
			results = append(results, failed)
		}
	}
	return results
}

// Each engine is verified with TLS and the login of its clients, whatever the allowlist.
func TestVerify(t *testing.T) {
	t.Parallel()
	f := start(t, withRepositories(t))
	status, made := f.call("POST", "/instances", object{"name": "box", "plan": "medium", "region": "eu-central", "engines": object{"postgres": true}})
	if status != http.StatusAccepted {
		t.Fatalf("the creation: got %d %v, want 202", status, made)
	}
	id := made["id"].(string)
	b := &box{f, id, "/instances/" + id}
	must.Do(t, f.PayCheckout(id))
	must.Do(t, f.FinishJob(made["job_id"].(string)))
	b.engines(object{"postgres": object{}, "redis": object{}, "nats": object{}, "couchdb": object{}, "apps": object{}, "auth": object{}})
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"203.0.113.0/24"}})
	b.mustRun(b.importApp("octo/app", object{}))
	machine.Until(t, "the deployment is verified", func() bool { return len(b.verifications()) == 1 })
	if got := b.verifications()[0]; got != nil {
		t.Fatalf("the verification: got %v, want none that failed", got)
	}

	// The owner's password is no longer the record's.
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{}})
	b.exec(b.owner(), "ALTER ROLE CURRENT_USER PASSWORD 'another'")
	b.Advance(24 * time.Hour)
	results := b.verifications()
	failed := results[len(results)-1]
	engines := []any{}
	for _, f := range failed {
		engines = append(engines, f.(object)["engine"])
	}
	if !slices.Contains(engines, any("postgres")) {
		t.Errorf("with another password: got %v, want postgres", failed)
	}
	if _, record := b.call("GET", b.path, nil); record["monitoring"].(object)["healthy"] != false {
		t.Errorf("the record: got %v, want it unhealthy", record["monitoring"])
	}

	b.done("POST", b.path+"/actions/rotate", object{})
	machine.Until(t, "the rotation has repaired it", func() bool {
		results := b.verifications()
		return results[len(results)-1] == nil
	})
}

// The pooled port is verified too.
func TestVerifyPooledPort(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := stateFolder(t)
	b := start(t, inFolder(folder)).box()
	if b.connection().Engines.Postgres.Pooled == 0 {
		without(t, "PgBouncer")
		return
	}
	bouncer := pgBouncer(t, folder)
	must.Do(t, bouncer.Signal(syscall.SIGSTOP))
	b.Advance(24 * time.Hour)
	results := b.verifications()
	must.Do(t, bouncer.Signal(syscall.SIGCONT))
	if len(results) != 1 || len(results[0]) != 1 || !strings.HasPrefix(results[0][0].(object)["reason"].(string), "the pooled port: ") {
		t.Errorf("with a PgBouncer that does not answer: got %v, want the pooled port", results)
	}
}
