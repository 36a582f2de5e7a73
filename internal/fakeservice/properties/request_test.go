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

// request is a request as it was drawn.
type request struct {
	operation *operation
	// pause is how long the account's clock runs before the request is sent.
	pause time.Duration
	// kind says what is special about the request, "" for nothing.
	kind string
	// invalid is true of a request that breaks the document.
	invalid bool
	// misshapen is true of an invalid request that breaks the schema of its body alone.
	misshapen bool
	// key is the API key, and scheme how it is announced; both are "" without a key.
	key, scheme string
	// stranger is true of a request without a key of the account.
	stranger bool
	path     map[string]string
	query    url.Values
	// body is what is sent, and value what it was made from, if it is an object.
	body        []byte
	value       map[string]any
	contentType string
	header      map[string]string
	// tool is true of a request that is sent as a call of a tool.
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

// GoString is String, for the log of what was drawn.
func (r *request) GoString() string { return r.String() }

// prefix is where the API begins.
const prefix = "/api/v1"

// target returns the escaped path below the API's prefix, and the query.
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

// outsized are integers that no field holds. The faces refuse them before they look for
// what the request is about, each in its own words.
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

// newRequest makes a request as a server hands it to its handler.
func newRequest(method, target string, body []byte) *http.Request {
	h, err := http.NewRequest(method, "http://localhost"+target, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	h.RequestURI, h.RemoteAddr = target, "127.0.0.1:1"
	return h
}

// answer is what came back.
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
