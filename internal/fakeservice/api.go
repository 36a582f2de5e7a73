package fakeservice

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// maxBody is the longest request that the fake reads.
const maxBody = 1 << 20

// reply is an answer as it goes over the wire.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// serveAPI answers one request that the gateway has passed on, and holds both
// sides of the exchange to the document.
func (s *Service) serveAPI(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		encode(fail(badRequest("the body cannot be read or is longer than %d bytes", maxBody))).write(w)
		return
	}
	out, documented := s.answer(r, strings.TrimPrefix(r.URL.EscapedPath(), basePath), body)
	if documented {
		if err := s.validator.Response(r, out.status, out.header, out.body); err != nil {
			s.traffic.violation(err)
		}
	}
	out.write(w)
}

// answer authorises, routes and checks a request before the handler sees it.
// It tells whether the operation is in the document at all.
func (s *Service) answer(r *http.Request, path string, body []byte) (out reply, documented bool) {
	route, params := findRoute(s.routes, r.Method, path)
	if err := s.authorise(r); err != nil {
		return encode(fail(err)), route != nil
	}
	violation := s.validator.Request(r, body)
	if violation != nil {
		s.traffic.violation(violation)
	}
	if route == nil {
		return encode(fail(notFound("there is no %s %s", r.Method, r.URL.Path))), false
	}
	c := &call{
		service: s, request: r, route: route, params: params,
		query: r.URL.Query(), body: body, root: rootOf(r),
	}
	if violation != nil {
		if c.lacksConfirm() {
			return encode(fail(confirmMismatch())), true
		}
		return encode(fail(badRequest("%s", violation))), true
	}
	out = s.handle(c)
	return c.tag(out), true
}

func (s *Service) authorise(r *http.Request) error {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok || key == "":
		return unauthorized("the request has no API key; send it as a bearer token")
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.key)) != 1:
		return unauthorized("the API key is not valid")
	}
	return nil
}

// handle runs the handler and encodes its answer while the store is locked, so
// that an answer is one moment's truth. A read may be of a moment that is past.
// An idempotent repetition gets the first answer instead.
func (s *Service) handle(c *call) reply {
	var out reply
	var later func(context.Context) response
	withState := s.store.do
	if c.request.Method == http.MethodGet {
		withState = func(fn func(*state)) { s.store.read(gateway.LagOf(c.request.Context()), fn) }
	}
	withState(func(st *state) {
		var known bool
		if out, known = st.recall(c); known {
			return
		}
		answer := c.route.handle(st, c)
		if later = answer.later; later == nil {
			out = encode(answer)
			st.remember(c, out)
		}
	})
	if later != nil {
		out = encode(later(c.request.Context()))
		s.store.do(func(st *state) { st.remember(c, out) })
	}
	return out
}

// decode reads the body, whose shape has been checked, into a struct or map.
func (c *call) decode(into any) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		// The decoder quotes no values in these two kinds of error.
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return badRequest("%s: a JSON %s does not fit", wrong.Field, wrong.Value)
		}
		return badRequest("the body is no JSON: %s", err)
	}
	return nil
}

// lacksConfirm tells whether a request breaks the document because it leaves
// confirm out, for which the contract has a code of its own.
func (c *call) lacksConfirm() bool {
	switch c.route.method + " " + c.route.pattern {
	case "DELETE /instances/{id}":
		return !c.query.Has("confirm")
	case "POST /instances/{id}/actions/reset", "POST /instances/{id}/actions/restore":
		var body map[string]json.RawMessage
		if json.Unmarshal(c.body, &body) != nil {
			return len(bytes.TrimSpace(c.body)) == 0
		}
		_, sent := body["confirm"]
		return !sent
	}
	return false
}

// tag gives the answer to a GET its ETag, and answers 304 to who has it.
func (c *call) tag(out reply) reply {
	if c.request.Method != http.MethodGet || out.status != http.StatusOK {
		return out
	}
	sum := sha256.Sum256(out.body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	out.header.Set("ETag", tag)
	for _, have := range strings.Split(c.request.Header.Get("If-None-Match"), ",") {
		have = strings.TrimPrefix(strings.TrimSpace(have), "W/")
		if have == tag || have == "*" {
			out.status = http.StatusNotModified
			out.body = nil
			out.header.Del("Content-Type")
			break
		}
	}
	return out
}

// encode turns an answer into bytes.
func encode(answer response) reply {
	out := reply{status: answer.status, header: answer.header.Clone(), body: answer.raw}
	if out.header == nil {
		out.header = http.Header{}
	}
	switch {
	case answer.body != nil:
		text, err := encodeJSON(answer.body)
		if err != nil {
			return encode(fail(err))
		}
		out.body = text
		out.header.Set("Content-Type", "application/json")
	case answer.contentType != "":
		out.header.Set("Content-Type", answer.contentType)
	}
	return out
}

func encodeJSON(body any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

func (out reply) write(w http.ResponseWriter) {
	for name, values := range out.header {
		w.Header()[name] = values
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(out.body) // nothing is left to do for a client that has gone
}

// rootOf is the address at which a caller found the fake.
func rootOf(r *http.Request) string {
	root := url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		root.Scheme = "https"
	}
	return root.String()
}
