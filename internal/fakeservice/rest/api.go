// Package rest serves the REST API: the operations of package operations. It checks
// requests and responses against the OpenAPI document.
package rest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// Prefix is the path prefix of the API.
const Prefix = "/api/v1"

// maxBody is the maximum size of a request in bytes.
const maxBody = 1 << 20

// Options configures an API.
type Options struct {
	Service *core.Service
	// PortalURL is the address of the portal for checkouts. "" means the address at which
	// the caller found the API.
	PortalURL string
	// Violation is called with each violation of the OpenAPI document.
	Violation func(error)
}

// API serves the REST API. It is an http.Handler and safe for concurrent use.
type API struct {
	Options
	routes      []route
	validator   *apispec.Validator
	repetitions repetitions
}

// New makes an API. It panics if the embedded OpenAPI document is broken, which a test of
// that document finds first.
func New(o Options) *API {
	validator, err := apispec.New()
	if err != nil {
		panic("rest: " + err.Error())
	}
	return &API{Options: o, routes: routes(), validator: validator}
}

// reply is an encoded answer.
type reply struct {
	status  int
	header  http.Header
	body    []byte
	unknown bool
}

// ServeHTTP answers one request, and checks the request and the answer against the
// document. HEAD is answered like GET, without the body.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := r.Method == http.MethodHead
	if head {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		encode(fail(badRequest("the body cannot be read or is longer than %d bytes", maxBody))).write(w)
		return
	}
	out, documented := a.answer(r, strings.TrimPrefix(r.URL.EscapedPath(), Prefix), body)
	if documented {
		if err := a.validator.Response(r, out.status, out.header, out.body); err != nil {
			a.Violation(err)
		}
	}
	if head {
		out.body = nil
	}
	out.write(w)
}

// answer authorizes, routes and checks a request before the handler sees it. It reports
// whether the answer must be one of the document's.
func (a *API) answer(r *http.Request, path string, body []byte) (out reply, documented bool) {
	route, params := a.findRoute(r.Method, path)
	if err := a.authorise(r); err != nil {
		return encode(fail(err)), route != nil
	}
	violation := a.validator.Request(r, body)
	if violation != nil {
		a.Violation(violation)
	}
	if route == nil && a.validator.Operation(r) != "" {
		return encode(fail(core.Refuse(core.NotImplemented, "the fake service does not have %s %s yet", r.Method, r.URL.Path))), false
	}
	if allowed := a.methods(path); route == nil && len(allowed) > 0 {
		out := encode(fail(core.Refuse(core.MethodNotAllowed, "%s takes %s", r.URL.Path, strings.Join(allowed, ", "))))
		out.header.Set("Allow", strings.Join(allowed, ", "))
		return out, false
	}
	if route == nil {
		return encode(fail(core.Refuse(core.NotFound, "there is no %s %s", r.Method, r.URL.Path))), false
	}
	service := operations.Service{Service: a.Service, Portal: cmp.Or(a.PortalURL, httpauth.Root(r))}
	c := &call{service: service, request: r, route: route, params: params, body: body}
	if violation != nil {
		if c.lacksConfirm() {
			return encode(fail(core.Refuse(core.ConfirmMismatch, "confirm must equal the id of the instance"))), true
		}
		return encode(fail(badRequest("%s", violation))), true
	}
	out = a.repetitions.atMostOnce(c, func() reply { return encode(c.run()) })
	return c.tag(out), !out.unknown
}

func (a *API) authorise(r *http.Request) error {
	key := httpauth.Token(r)
	switch {
	case key == "":
		return core.Refuse(core.Unauthorized, "the request has no API key; send it as a bearer token")
	case !a.Service.Authenticate(key):
		return core.Refuse(core.Unauthorized, "the API key is not valid")
	}
	return nil
}

// tag adds an ETag to the answer to a GET, and returns 304 if the client has this
// version.
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

// encode encodes an answer.
func encode(answer response) reply {
	out := reply{status: answer.status, header: http.Header{}, body: answer.raw, unknown: answer.unknown}
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
	_, _ = w.Write(out.body) // nothing can be done for a client that is gone
}
