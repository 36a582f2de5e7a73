package properties

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// effect is the expected effect of an accepted request: a record has the members that
// were sent, or is gone.
type effect struct {
	request string
	// job is the job that has the effect, or "" if the effect is immediate.
	job string
	// read is the operation that returns the record. path has the values of its path.
	read string
	path map[string]string
	sent map[string]any
	gone bool
}

// effectOf returns the expected effect of an accepted request, or nil if no record shows
// it.
func effectOf(t *rapid.T, r *request, body []byte) *effect {
	t.Helper()
	var accepted struct {
		ID    string
		JobID string `json:"job_id"`
	}
	if err := json.Unmarshal(body, &accepted); err != nil {
		t.Fatal(err)
	}
	e := &effect{request: r.String(), job: accepted.JobID, read: "GET " + r.operation.Path, path: r.path, sent: map[string]any{}}
	for name, value := range r.value {
		e.sent[name] = value
	}
	switch r.operation.String() {
	case "PATCH /instances/{id}", "PUT /instances/{id}/sql-console", "PUT /instances/{id}/engines/postgres/console",
		"PATCH /instances/{id}/apps/{name}", "PATCH /instances/{id}/engines/auth/settings", "PATCH /me":
	case "PUT /instances/{id}/allowlist":
		if !spelledPlainly(r.value["allowlist"]) {
			return nil
		}
	case "DELETE /instances/{id}/apps/{name}":
		e.gone = true
	case "POST /instances/{id}/actions/resize":
		e.read = "GET /instances/{id}"
	case "POST /instances":
		e.read, e.path = "GET /instances/{id}", map[string]string{"id": accepted.ID}
		if e.sent["tier"] == "" {
			delete(e.sent, "tier") // as if it were omitted
		}
		rename(e.sent, "tier", "plan")
		delete(e.sent, "engines")
	case "POST /instances/{id}/apps/import":
		e.read, e.path = "GET /instances/{id}/apps/{name}", map[string]string{"id": r.path["id"], "name": r.value["name"].(string)}
	case "POST /webhooks":
		e.read, e.path, e.job = "GET /webhooks/{id}", map[string]string{"id": accepted.ID}, ""
		delete(e.sent, "secret")
	case "PATCH /webhooks/{id}":
		delete(e.sent, "secret")
	default:
		return nil
	}
	return e
}

// spelledPlainly reports whether each address of a list is in its canonical form.
func spelledPlainly(list any) bool {
	seen := map[any]bool{}
	for _, entry := range list.([]any) {
		if seen[entry] || !slices.Contains([]any{"203.0.113.0/24", "198.51.100.7", "2001:db8::/32"}, entry) {
			return false
		}
		seen[entry] = true
	}
	return true
}

// checkEffects checks the effects of requests whose jobs have ended.
func (w *world) checkEffects(t *rapid.T, a *account) {
	t.Helper()
	a.effects = slices.DeleteFunc(a.effects, func(e *effect) bool {
		if e.job != "" {
			job, err := a.jobOf(e.job)
			if err != nil {
				t.Fatal(err)
			}
			if job.FinishedAt == nil || job.Status == "failed" {
				return job.FinishedAt != nil
			}
		}
		got := w.get(a, e.read, e.path)
		if e.gone {
			if got.status != http.StatusNotFound {
				t.Fatalf("%s after %s: got %d %s, want 404", e.read, e.request, got.status, got.body)
			}
			return true
		}
		if got.status != http.StatusOK {
			t.Fatalf("%s after %s: got %d %s, want 200", e.read, e.request, got.status, got.body)
		}
		record := decoded(t, got.body).(map[string]any)
		for name, sent := range e.sent {
			if !reflect.DeepEqual(record[name], asRead(t, sent)) {
				t.Fatalf("the %s in %s after %s: got %v, want %v: %s\nEither its function in internal/fakeservice/operations or internal/fakeservice/core loses the field, or effectOf in internal/fakeservice/properties/effect_test.go must expect another value.", name, e.read, e.request, record[name], sent, strings.TrimSpace(string(got.body)))
			}
		}
		return true
	})
}

// asRead returns a value as it is decoded from JSON.
func asRead(t *rapid.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, text)
}
