package couchdb

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A request that express-pouchdb cannot handle is refused with CouchDB's JSON, and does not
// end the server's process.
func TestRequestsOfTheWrongForm(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	before := c.server.PID()
	for _, request := range []string{
		`POST /db/_revs_diff {"doc":5}`,
		`POST /db/_temp_view {"map":"function ("}`,
		`POST /db/_temp_view {"map":5}`,
		`POST /db/_temp_view {}`,
		`POST /db/_bulk_docs {"docs":[{"_id":"x","_rev":"1-a","_revisions":5}],"new_edits":false}`,
		`POST /db/_bulk_get {"docs":[5,null]}`,
		`POST /db/_find {"selector":5}`,
		`POST /db/_find []`,
		`POST /db/_index {"index":5}`,
		`DELETE /db/_index/d/json/none `,
		`POST /db/_changes {"doc_ids":5}`,
		`GET /db/doc?open_revs=5 `,
		`GET /db/doc?rev={} `,
		`PUT /db/other {"_attachments":{"a":5}}`,
		`DELETE /db/doc?rev={} `,
		`GET /db/%ff `,
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		answer := c.ask(method, path, body)
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !json.Valid(text) {
			t.Errorf("%s: got status %d, %s (%v), want JSON", request, answer.StatusCode, text, err)
		}
		c.value("v")
		if now := c.server.PID(); now != before {
			t.Errorf("%s: got process %d, want %d", request, now, before)
			before = now
		}
	}
}

// Only a request that names the newest revision changes or deletes a document.
func TestRevisions(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.do("PUT", "/db", "", http.StatusCreated)
	with := func(method, path, match, body string) int {
		t.Helper()
		answer := c.ask(method, path, body, "If-Match", match)
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, path := range []string{"/db/doc", "/db/_design/doc", "/db/_local/doc"} {
		old := c.do("PUT", path, `{}`, http.StatusCreated)["rev"].(string)
		now := c.do("PUT", path+"?rev="+old, `{}`, http.StatusCreated)["rev"].(string)
		for _, method := range []string{"DELETE", "PUT"} {
			body := map[string]string{"PUT": `{}`}[method]
			for _, revision := range []string{"", "?rev=" + old, "?rev=9-a"} {
				if got := c.do(method, path+revision, body, http.StatusConflict)["error"]; got != "conflict" {
					t.Errorf("%s %s%s: got %v, want a conflict", method, path, revision, got)
				}
			}
			if got := with(method, path, `"`+old+`"`, body); got != http.StatusConflict {
				t.Errorf("%s %s of the old revision: got %d, want 409", method, path, got)
			}
		}
		c.do("GET", path, "", http.StatusOK)
		if got := with("PUT", path, `"`+now+`"`, `{}`); got != http.StatusCreated {
			t.Errorf("PUT %s of the new revision: got %d, want 201", path, got)
		}
		now = c.do("GET", path, "", http.StatusOK)["_rev"].(string)
		if got := with("DELETE", path, now, ""); got != http.StatusOK {
			t.Errorf("DELETE %s: got %d, want 200", path, got)
		}
		c.do("GET", path, "", http.StatusNotFound)
	}
	c.do("DELETE", "/db/none", "", http.StatusNotFound)
	c.do("DELETE", "/none/doc?rev=1-a", "", http.StatusNotFound)
}

// The indexes of views that are gone are deleted.
func TestViewCleanup(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	rev := c.do("PUT", "/db/_design/d", `{"views":{"all":{"map":"function (d) { emit(d._id) }"}}}`, http.StatusCreated)["rev"].(string)
	indexes := func() int {
		t.Helper()
		found := must.Get(filepath.Glob(filepath.Join(c.server.data(), "*-mrview-*")))(t)
		return len(found)
	}
	c.do("GET", "/db/_design/d/_view/all", "", http.StatusOK)
	c.do("POST", "/db/_view_cleanup", `{}`, http.StatusOK)
	if got := indexes(); got != 1 {
		t.Errorf("indexes of the view: got %d, want 1", got)
	}
	c.do("DELETE", "/db/_design/d?rev="+rev, "", http.StatusOK)
	c.do("POST", "/db/_view_cleanup", `{}`, http.StatusOK)
	if got := indexes(); got != 0 {
		t.Errorf("indexes without the view: got %d, want 0", got)
	}
}
