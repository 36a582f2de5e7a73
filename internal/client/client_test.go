package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A handlerTransport answers requests in this process, so that tests run under
// synctest, where time passes only while everybody waits.
type handlerTransport struct {
	mu      sync.Mutex
	handler http.HandlerFunc
	log     []string // "METHOD /path"
	times   []time.Time
	begun   time.Time
}

// drop makes a handler's connection break without an answer.
const drop = -1

func (h *handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.log = append(h.log, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1"))
	h.times = append(h.times, time.Now())
	h.mu.Unlock()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.handler(recorder, r)
	if r.Body != nil {
		r.Body.Close()
	}
	if recorder.Header().Get("X-Drop") != "" {
		return nil, io.ErrUnexpectedEOF
	}
	return recorder.Result(), nil
}

func (h *handlerTransport) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.log...)
}

// count counts the requests that begin with a prefix.
func (h *handlerTransport) count(prefix string) int {
	n := 0
	for _, request := range h.requests() {
		if strings.HasPrefix(request, prefix) {
			n++
		}
	}
	return n
}

// newTestClient is a client whose requests a handler answers.
func newTestClient(t *testing.T, handler http.HandlerFunc, options ...func(*Options)) (*Client, *handlerTransport) {
	t.Helper()
	transport := &handlerTransport{handler: handler, begun: time.Now()}
	o := Options{BaseURL: "https://hosting.example/api/v1", APIKey: "key-of-the-test", MaxRetries: 3, Transport: transport}
	for _, option := range options {
		option(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, transport
}

// respond answers with a status and a JSON body; drop breaks the connection.
func respond(w http.ResponseWriter, status int, body any) {
	if status == drop {
		w.Header().Set("X-Drop", "yes")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// refuse answers with an error of the service.
func refuse(w http.ResponseWriter, status int, code string) {
	respond(w, status, map[string]string{"code": code, "detail": "about " + code})
}

type object = map[string]any
