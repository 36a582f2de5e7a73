package provider_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A front stands before a fake and makes it a service of other habits. What goes
// wrong on the way is the gateway's, which is behind it.
type front struct {
	// request alters what the fake gets; nil leaves it.
	request func(*http.Request)
	// answer makes the answer of the fake's, which may be any JSON; nil leaves it.
	answer func(r *http.Request, answer any) any
}

// before serves a fake through the front.
func (f front) before(t *testing.T, fake *fakeservicetest.Server) *fakeservicetest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.request != nil {
			f.request(r)
		}
		made := httptest.NewRecorder()
		fake.ServeHTTP(made, r)
		body := made.Body.Bytes()
		var answer any
		if f.answer != nil && json.Unmarshal(body, &answer) == nil {
			body, _ = json.Marshal(f.answer(r, answer)) // what JSON made encodes
		}
		maps.Copy(w.Header(), made.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(made.Code)
		_, _ = w.Write(body) // nothing is left to do for a client that has gone
	}))
	t.Cleanup(server.Close)
	return &fakeservicetest.Server{Service: fake.Service, BaseURL: server.URL + "/api/v1", RootURL: server.URL}
}

// keyless serves a fake as a service that does not know the Idempotency-Key: what
// is sent twice is carried out twice.
func keyless(t *testing.T, fake *fakeservicetest.Server) *fakeservicetest.Server {
	t.Helper()
	return front{request: func(r *http.Request) { r.Header.Del("Idempotency-Key") }}.before(t, fake)
}
