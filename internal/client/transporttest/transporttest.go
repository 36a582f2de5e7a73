// Package transporttest answers the requests of a client in the process of a test, so that
// tests run under synctest, where time passes only while all goroutines wait.
package transporttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// A RoundTripper answers requests with a handler.
type RoundTripper struct {
	mu      sync.Mutex
	handler http.HandlerFunc
	log     []string // "METHOD /path"
	times   []time.Time
}

// Statuses for Respond that mean no answer or an incomplete one.
const (
	Dropped   = -iota - 1 // the connection breaks after the request was sent.
	Refused               // no connection can be opened.
	Silent                // packets are dropped: there is no answer.
	BrokenOff             // 200, with a body that is cut off in the middle.
	Truncated             // 200, with half of the body as if it were complete.
)

// hotLoop is more requests than any test sends. Fake time does not pass in a loop without
// a pause, so nothing else would end such a loop.
const hotLoop = 50_000

// trouble is the header with which a handler requests one of these statuses from the
// transport.
const trouble = "X-Trouble"

// New returns a RoundTripper that answers with a handler.
func New(handler http.HandlerFunc) *RoundTripper { return &RoundTripper{handler: handler} }

// SetHandler makes another handler answer later requests.
func (h *RoundTripper) SetHandler(handler http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handler = handler
}

// RoundTrip answers a request.
func (h *RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.log = append(h.log, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1"))
	h.times = append(h.times, time.Now())
	if len(h.log) > hotLoop {
		panic(fmt.Sprintf("a hot loop: %d requests in %s, the newest %s", len(h.log), time.Since(h.times[0]), h.log[hotLoop]))
	}
	handler := h.handler
	h.mu.Unlock()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	handler(recorder, r)
	if r.Body != nil {
		r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err // the caller has cancelled
	}
	resp := recorder.Result()
	switch recorder.Header().Get(trouble) {
	case fmt.Sprint(Dropped):
		return nil, io.ErrUnexpectedEOF
	case fmt.Sprint(Refused):
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	case fmt.Sprint(Silent):
		<-r.Context().Done()
		return nil, r.Context().Err()
	case fmt.Sprint(Truncated):
		whole := recorder.Body.String()
		resp.Body = io.NopCloser(strings.NewReader(whole[:len(whole)/2]))
	case fmt.Sprint(BrokenOff):
		whole := recorder.Body.Bytes()
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(whole[:len(whole)/2])), breaking{}))
	}
	return resp, nil
}

// breaking is the rest of a body that is cut off.
type breaking struct{}

func (breaking) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Requests returns the requests so far, each as "METHOD /path" below the base URL.
func (h *RoundTripper) Requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.log...)
}

// Times returns the times of the requests so far.
func (h *RoundTripper) Times() []time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]time.Time(nil), h.times...)
}

// Count returns the number of requests that begin with a prefix.
func (h *RoundTripper) Count(prefix string) int {
	n := 0
	for _, request := range h.Requests() {
		if strings.HasPrefix(request, prefix) {
			n++
		}
	}
	return n
}

// Respond answers with a status and a JSON body, or with one of the troubles.
func Respond(w http.ResponseWriter, status int, body any) {
	if status < 0 {
		w.Header().Set(trouble, fmt.Sprint(status))
		status = 200
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// Refuse answers with an error of the service.
func Refuse(w http.ResponseWriter, status int, code string) {
	Respond(w, status, map[string]string{"code": code, "detail": "about " + code})
}

// GatewayPage answers with the page of a gateway, or with one of the troubles.
func GatewayPage(w http.ResponseWriter, status int) {
	if status < 0 {
		Respond(w, status, map[string]any{"job_id": "j-1"})
		return
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>default backend - %d</html>", status)
}

// A Script maps "METHOD /path" to answers. Other requests are answered "not found".
type Script map[string]http.HandlerFunc

// Serve answers a request.
func (s Script) Serve(w http.ResponseWriter, r *http.Request) {
	answer, ok := s[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1")]
	if !ok {
		Refuse(w, 404, "not_found")
		return
	}
	answer(w, r)
}

// Says returns a handler that answers with a status and a body.
func Says(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { Respond(w, status, body) }
}

// InTurn returns a handler that uses each of the answers in turn, and then always the
// last.
func InTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		mu.Unlock()
		answer(w, r)
	}
}

// Gateway returns a handler that answers with a gateway's page, or with one of the
// troubles.
func Gateway(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { GatewayPage(w, status) }
}

// During returns a handler that uses one answer for a time and then another.
func During(lasts time.Duration, first, then http.HandlerFunc) http.HandlerFunc {
	begun := time.Now()
	return func(w http.ResponseWriter, r *http.Request) {
		if time.Since(begun) < lasts {
			first(w, r)
			return
		}
		then(w, r)
	}
}

// AsksToWait refuses with a status and a Retry-After.
func AsksToWait(status int, told time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprint(int(told.Seconds())))
		code := "unavailable"
		if status == http.StatusTooManyRequests {
			code = "rate_limited"
		}
		Refuse(w, status, code)
	}
}

// Maintenance answers with a gateway's page and a Retry-After.
func Maintenance(told time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", fmt.Sprint(int(told.Seconds())))
		GatewayPage(w, 503)
	}
}
