package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A handlerTransport answers requests in this process, so that tests run under synctest,
// where time passes only while all goroutines wait.
type handlerTransport struct {
	mu      sync.Mutex
	handler http.HandlerFunc
	log     []string // "METHOD /path"
	times   []time.Time
}

// Statuses for respond that mean no answer or an incomplete one.
const (
	dropped   = -iota - 1 // the connection breaks after the request was sent.
	refused               // no connection can be opened.
	silent                // packets are dropped: there is no answer.
	brokenOff             // 200, with a body that is cut off in the middle.
	truncated             // 200, with half of the body as if it were complete.
)

// hotLoop is more requests than any test sends. Fake time does not pass in a loop without
// a pause, so nothing else would end such a loop.
const hotLoop = 50_000

// trouble is the header with which a handler requests one of these statuses from the
// transport.
const trouble = "X-Trouble"

func (h *handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.log = append(h.log, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1"))
	h.times = append(h.times, time.Now())
	if len(h.log) > hotLoop {
		panic(fmt.Sprintf("a hot loop: %d requests in %s, the newest %s", len(h.log), time.Since(h.times[0]), h.log[hotLoop]))
	}
	h.mu.Unlock()
	recorder := httptest.NewRecorder()
	recorder.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.handler(recorder, r)
	if r.Body != nil {
		r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err // the caller has cancelled
	}
	resp := recorder.Result()
	switch recorder.Header().Get(trouble) {
	case fmt.Sprint(dropped):
		return nil, io.ErrUnexpectedEOF
	case fmt.Sprint(refused):
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	case fmt.Sprint(silent):
		<-r.Context().Done()
		return nil, r.Context().Err()
	case fmt.Sprint(truncated):
		whole := recorder.Body.String()
		resp.Body = io.NopCloser(strings.NewReader(whole[:len(whole)/2]))
	case fmt.Sprint(brokenOff):
		whole := recorder.Body.Bytes()
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(whole[:len(whole)/2])), breaking{}))
	}
	return resp, nil
}

// breaking is the rest of a body that is cut off.
type breaking struct{}

func (breaking) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func (h *handlerTransport) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.log...)
}

// count returns the number of requests that begin with a prefix.
func (h *handlerTransport) count(prefix string) int {
	n := 0
	for _, request := range h.requests() {
		if strings.HasPrefix(request, prefix) {
			n++
		}
	}
	return n
}

// newTestClient returns a client whose requests are answered by a handler.
func newTestClient(t *testing.T, handler http.HandlerFunc, options ...func(*Options)) (*Client, *handlerTransport) {
	t.Helper()
	transport := &handlerTransport{handler: handler}
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

// respond answers with a status and a JSON body, or with one of the troubles.
func respond(w http.ResponseWriter, status int, body any) {
	if status < 0 {
		w.Header().Set(trouble, fmt.Sprint(status))
		status = 200
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// refuse answers with an error of the service.
func refuse(w http.ResponseWriter, status int, code string) {
	respond(w, status, map[string]string{"code": code, "detail": "about " + code})
}

// gatewayPage answers with the page of a gateway, or with one of the troubles.
func gatewayPage(w http.ResponseWriter, status int) {
	if status < 0 {
		respond(w, status, object{"job_id": "j-1"})
		return
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>default backend - %d</html>", status)
}

// A script maps "METHOD /path" to answers. Other requests are answered "not found".
type script map[string]http.HandlerFunc

func (s script) serve(w http.ResponseWriter, r *http.Request) {
	answer, ok := s[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1")]
	if !ok {
		refuse(w, 404, "not_found")
		return
	}
	answer(w, r)
}

// says returns a handler that answers with a status and a body.
func says(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { respond(w, status, body) }
}

// inTurn returns a handler that uses each of the answers in turn, and then always the
// last.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
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

// gateway returns a handler that answers with a gateway's page, or with one of the
// troubles.
func gateway(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { gatewayPage(w, status) }
}

// during returns a handler that uses one answer for a time and then another.
func during(lasts time.Duration, first, then http.HandlerFunc) http.HandlerFunc {
	begun := time.Now()
	return func(w http.ResponseWriter, r *http.Request) {
		if time.Since(begun) < lasts {
			first(w, r)
			return
		}
		then(w, r)
	}
}

func enter(t *testing.T, c *Client) *Turn {
	t.Helper()
	turn, err := c.Enter(t.Context(), "i")
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// isAs reports whether an error has a type, by errors.As.
func isAs[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// within returns a context that ends after a duration.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

type object = map[string]any

func contains(text, part string) bool { return strings.Contains(text, part) }
