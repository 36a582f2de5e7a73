package acceptance

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A front is a server in front of a fake that makes it behave like a different service.
// Faults in transit are injected by the gateway, which is behind the front.
type front struct {
	// request, if non-nil, changes a request before the fake gets it.
	request func(*http.Request)
	// answer, if non-nil, changes an answer of the fake. The result may be any JSON.
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
			body, _ = json.Marshal(f.answer(r, answer)) // a decoded value can always be encoded
		}
		maps.Copy(w.Header(), made.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(made.Code)
		_, _ = w.Write(body) // an error means that the client is gone
	}))
	t.Cleanup(server.Close)
	return &fakeservicetest.Server{Service: fake.Service, BaseURL: server.URL + "/api/v1", RootURL: server.URL}
}

// keyless serves a fake as a service that ignores the Idempotency-Key: a request that is
// sent twice is carried out twice.
func keyless(t *testing.T, fake *fakeservicetest.Server) *fakeservicetest.Server {
	t.Helper()
	return front{request: func(r *http.Request) { r.Header.Del("Idempotency-Key") }}.before(t, fake)
}
