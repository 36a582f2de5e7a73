package properties

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"time"
)

// request is a random request.
type request struct {
	operation *operation
	// pause is the time that the account's clock moves before the request is sent.
	pause time.Duration
	// kind says what is special about the request, or is "".
	kind string
	// invalid reports whether the request violates the document.
	invalid bool
	// misshapen reports whether an invalid request only violates the schema of its body.
	misshapen bool
	// key is the API key, and scheme its authentication scheme. Both are "" without a
	// key.
	key, scheme string
	// stranger reports whether the request lacks a valid key of the account.
	stranger bool
	path     map[string]string
	query    url.Values
	// body is the body to send, and value its source if it is an object.
	body        []byte
	value       map[string]any
	contentType string
	header      map[string]string
	// tool reports whether the request is sent as a call of a tool.
	tool bool
}

// String returns the request in the form of a log, without its key.
func (r *request) String() string {
	var text strings.Builder
	if r.pause > 0 {
		fmt.Fprintf(&text, "after %s ", r.pause)
	}
	fmt.Fprintf(&text, "%s %s", r.operation.Method, r.target())
	if r.tool {
		fmt.Fprintf(&text, " as the tool %s", r.operation.tools[0])
	}
	if r.kind != "" {
		fmt.Fprintf(&text, " (%s)", r.kind)
	}
	for name, value := range r.header {
		fmt.Fprintf(&text, " %s: %s", name, value)
	}
	if len(r.body) > 0 {
		fmt.Fprintf(&text, " %.2000q", r.body)
	}
	return text.String()
}

// GoString returns String, for the log of drawn values.
func (r *request) GoString() string { return r.String() }

// prefix is the path prefix of the API.
const prefix = "/api/v1"

// target returns the escaped path after the API's prefix, and the query.
func (r *request) target() string {
	target := r.operation.Path
	for _, name := range parameters(target) {
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(r.path[name]))
	}
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	return target
}

// outsized has integers that are too large for any field. The interfaces refuse them
// before they look up the object, and with different words.
var outsized = []json.Number{"9223372036854775808", "1e30"}

// isOutsized reports whether an integer of the body is outsized.
func (r *request) isOutsized() bool {
	return slices.ContainsFunc(outsized, func(n json.Number) bool { return bytes.Contains(r.body, []byte(":"+n.String())) })
}

// http makes the request that is sent.
func (r *request) http() *http.Request {
	h := newRequest(r.operation.Method, prefix+r.target(), r.body)
	if r.scheme != "" {
		h.Header.Set("Authorization", r.scheme+" "+r.key)
	}
	if r.contentType != "" {
		h.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.header {
		h.Header.Set(name, value)
	}
	return h
}

// newRequest makes a request as a server passes it to its handler.
func newRequest(method, target string, body []byte) *http.Request {
	h, err := http.NewRequest(method, "http://localhost"+target, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	h.RequestURI, h.RemoteAddr = target, "127.0.0.1:1"
	return h
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request to a handler.
func ask(handler http.Handler, h *http.Request) answer {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, h)
	return answer{recorder.Code, recorder.Header(), recorder.Body.Bytes()}
}
