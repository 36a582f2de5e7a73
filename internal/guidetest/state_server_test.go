package guidetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// startStateServer serves one state with its lock, as Terraform's http backend expects it,
// and returns its URL. In the end, the lock must be free.
func startStateServer(t *testing.T) (url string) {
	t.Helper()
	var mu sync.Mutex
	var state, lock []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("%s of the state: %v", r.Method, err)
		}
		mu.Lock()
		defer mu.Unlock()
		switch r.Method {
		case http.MethodGet:
			if state == nil {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write(state) // a client that has gone needs no answer
		case http.MethodPost:
			state = body
		case "LOCK":
			if lock != nil {
				w.WriteHeader(http.StatusLocked)
				_, _ = w.Write(lock)
				return
			}
			lock = body
		case "UNLOCK":
			lock = nil
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	t.Cleanup(func() {
		server.Close()
		mu.Lock()
		defer mu.Unlock()
		if state == nil && !t.Skipped() {
			t.Error("the stored state: got none, want one")
		}
		if lock != nil {
			t.Errorf("the lock of the state: got %s, want none", lock)
		}
	})
	return server.URL
}
