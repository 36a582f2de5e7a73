// Package providertest has what the tests of several packages of the provider use.
package providertest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Replicas returns a fake and a client whose reads come from several replicas of it, so that
// a read may lack a change that an earlier read showed. older may answer a read in place of
// the newest replica. It returns false if it leaves the read to that one.
func Replicas(t *testing.T, older func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool) (*fakeservice.Service, *client.Client) {
	t.Helper()
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	t.Cleanup(func() { _ = fake.Close() })
	return fake, Client(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	}))
}

// LaggingReads returns a fake and a client whose reads of a path show a former value of a
// field for 12 seconds.
func LaggingReads(t *testing.T, path, field string, was any) (*fakeservice.Service, *client.Client) {
	t.Helper()
	begun := time.Now()
	return Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
		if !strings.HasSuffix(r.URL.Path, path) || time.Since(begun) >= 12*time.Second {
			return false
		}
		AnswerOlder(w, newest, field, was)
		return true
	})
}

// AnswerOlder answers with the newest record, but with an older value of one field.
func AnswerOlder(w http.ResponseWriter, newest *httptest.ResponseRecorder, field string, was any) {
	var record map[string]any
	_ = json.Unmarshal(newest.Body.Bytes(), &record)
	record[field] = was
	_ = json.NewEncoder(w).Encode(record)
}
