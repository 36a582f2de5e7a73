package properties

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// checkAnswer checks an answer against the document and the expected state.
func (w *world) checkAnswer(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	fail := func(want string) { t.Helper(); t.Fatalf("%s: got %d %.2000s, want %s", r, got.status, got.body, want) }
	if got.status >= 500 {
		fail("no mistake of the service")
	}
	h := r.http()
	if err := w.validator.Response(h, got.status, got.header, got.body); err != nil {
		fail("an answer that fits the document: " + err.Error())
	}
	violation := w.validator.Request(h, r.body)
	code := codeOf(got.body)
	switch {
	case r.stranger:
		if got.status != http.StatusUnauthorized {
			fail("401, as the key is not one of the account")
		}
		return
	case r.invalid:
		if violation == nil {
			fail("a violation that the validator finds, as the request breaks the document")
		}
		if got.status != http.StatusBadRequest {
			fail("400, as the request breaks the document: " + violation.Error())
		}
		return
	case violation != nil:
		fail("a request that the validator accepts, as it fits the document: " + violation.Error())
	}
	if code == "invalid_request" && !r.query.Has("limit") && !r.query.Has("cursor") {
		fail("no invalid_request, as the request fits the document")
	}
	if r.isOutsized() && got.status != http.StatusUnprocessableEntity {
		fail("422, as a number is out of range")
	}
	if a.lacks(r) && !r.isOutsized() && got.status != http.StatusNotFound && r.operation.has(http.StatusNotFound) {
		fail("404, as the account has nothing of that id")
	}
}

// lacks reports whether the account has no object with the id in a request's path,
// because it never existed or was deleted.
func (a *account) lacks(r *request) bool {
	id, there := r.path["id"]
	switch {
	case !there:
		return false
	case strings.HasPrefix(r.operation.Path, "/jobs"):
		return !slices.Contains(a.jobs, id)
	case strings.HasPrefix(r.operation.Path, "/webhooks"):
		return !slices.Contains(a.webhooks, id) || a.deleted[id]
	}
	return !slices.Contains(a.instances, id) || a.deleted[id]
}

// follow records the effects of a request, and checks those of earlier ones.
func (w *world) follow(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	if !r.stranger && !r.invalid {
		a.noteKey(t, r, got)
	}
	if repeats := r.header["Idempotency-Key"] != ""; !repeats && r.operation.mutates() && got.status < 300 && got.status != http.StatusNoContent {
		if e := effectOf(t, r, got.body); e != nil {
			a.effects = append(a.effects, e)
		}
	}
	id := r.path["id"]
	switch {
	case got.status == http.StatusNoContent:
		a.deleted[id] = true
	case got.status == http.StatusAccepted:
		var accepted struct {
			ID    string
			JobID string `json:"job_id"`
		}
		if err := json.Unmarshal(got.body, &accepted); err != nil {
			t.Fatal(err)
		}
		if r.operation.String() == "DELETE /instances/{id}" {
			a.deleting[id] = accepted.JobID
		}
		job, err := a.jobOf(accepted.JobID)
		if err != nil || id != "" && job.InstanceID != id || id == "" && job.InstanceID != accepted.ID {
			t.Fatalf("the job of %s, which was answered %s: got %+v and error %v, want a job of the instance", r, got.body, job, err)
		}
	case got.status == http.StatusOK && !r.invalid && !r.stranger && !r.tool:
		w.checkLists(t, a, r, got)
	}
	if job, ok := a.deleting[id]; ok && job != "" {
		w.checkDeleted(t, a, id)
	}
	for _, id := range a.instances {
		if _, there := a.instance(id); !there && !a.deleted[id] && a.deleting[id] == "" {
			t.Fatalf("the instance %s after %s, which was answered %d: got none, want it unless it is deleted", id, r, got.status)
		}
	}
}

// checkDeleted checks that an instance is gone if and only if the job of its deletion is
// done.
func (w *world) checkDeleted(t *rapid.T, a *account, id string) {
	t.Helper()
	job, err := a.jobOf(a.deleting[id])
	_, there := a.instance(id)
	switch {
	case err != nil:
		t.Fatal(err)
	case there == (job.Status == "done"):
		t.Fatalf("the instance %s, whose deletion is %s: got one: %t, want one unless the deletion is done", id, job.Status, there)
	case job.Status == "done":
		a.deleted[id] = true
	case job.Status == "failed":
		delete(a.deleting, id)
	}
}

// listing is a list and the operation that reads one element of it.
type listing struct{ list, member, key, element string }

// listings has the lists whose elements can be read individually.
var listings = []listing{
	{"GET /instances", "instances", "id", "GET /instances/{id}"},
	{"GET /webhooks", "webhooks", "id", "GET /webhooks/{id}"},
	{"GET /instances/{id}/apps", "apps", "name", "GET /instances/{id}/apps/{name}"},
}

// checkLists checks that a list and the records of its elements agree.
func (w *world) checkLists(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	for _, l := range listings {
		switch r.operation.String() {
		case l.list:
			for _, element := range w.elements(t, a, l, r.path, r.query.Get("limit"), r.query.Get("cursor")) {
				path := map[string]string{"id": r.path["id"], l.key: element[l.key].(string)}
				one := w.get(a, l.element, path)
				if one.status != http.StatusOK || !reflect.DeepEqual(decoded(t, one.body), any(element)) {
					t.Fatalf("an element of %s, read by itself: got %d %s, want %v", l.list, one.status, one.body, element)
				}
			}
		case l.element:
			record, _ := decoded(t, got.body).(map[string]any)
			found := slices.ContainsFunc(w.elements(t, a, l, r.path, "", ""), func(element map[string]any) bool { return reflect.DeepEqual(element, record) })
			if !found {
				t.Fatalf("%s: got %s, want a record that is in %s", r, got.body, l.list)
			}
		}
	}
}

// elements returns the elements of a list, from a page to the end.
func (w *world) elements(t *rapid.T, a *account, l listing, path map[string]string, limit, cursor string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for {
		next := &request{operation: operationOf(l.list), path: path, scheme: "Bearer", key: "key-of-" + a.mark, query: map[string][]string{}}
		if limit != "" {
			next.query.Set("limit", limit)
		}
		if cursor != "" {
			next.query.Set("cursor", cursor)
		}
		got := ask(a.service, next.http())
		if got.status != http.StatusOK {
			t.Fatalf("%s: got %d %s, want 200", next, got.status, got.body)
		}
		record := decoded(t, got.body).(map[string]any)
		for _, element := range record[l.member].([]any) {
			all = append(all, element.(map[string]any))
		}
		more, _ := record["next_cursor"].(string)
		if more == "" {
			return all
		}
		if more == cursor {
			t.Fatalf("the next cursor of %s: got %s again, want another one", next, more)
		}
		if cursor = more; !slices.Contains(a.cursors, more) && len(a.cursors) < 12 {
			a.cursors = append(a.cursors, more)
		}
	}
}

// get reads something through the API.
func (w *world) get(a *account, operation string, path map[string]string) answer {
	r := &request{operation: operationOf(operation), path: path, scheme: "Bearer", key: "key-of-" + a.mark}
	return ask(a.service, r.http())
}

func decoded(t *rapid.T, body []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("the body: got %s (%s), want JSON", body, err)
	}
	return value
}

// private matches data that belongs to one account: ids, and texts as long as a secret.
var private = regexp.MustCompile(`\b(?:acc|i|job|bld|wh|bak|chg|key)-[a-z2-7]{12}\b|\b[a-z2-7]{40}\b|eyJ[\w-]+\.[\w-]+\.[\w-]+`)

// checkPrivacy checks that an answer contains no data of the other account, except data
// that is in the request. It records the data of this account.
func (w *world) checkPrivacy(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	sent := r.target() + string(r.body)
	for header := range got.header {
		got.body = append(append(got.body, ' '), got.header.Get(header)...)
	}
	other := w.other(a).mark
	if strings.Contains(string(got.body), other) && !strings.Contains(sent, other) {
		t.Fatalf("%s of %s: got %s, want no name of %s", r, a.mark, got.body, other)
	}
	for _, text := range private.FindAllString(string(got.body), -1) {
		if strings.Contains(sent, text) {
			continue
		}
		if owner, known := w.owners[text]; known && owner != a.mark {
			t.Fatalf("%s of %s: got %s, want nothing of %s such as %s", r, a.mark, got.body, owner, text)
		}
		w.owners[text] = a.mark
		if r.stranger {
			t.Fatalf("%s without a key: got %s, want no %s", r, got.body, text)
		}
	}
}
