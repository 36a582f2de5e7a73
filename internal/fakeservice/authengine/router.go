package authengine

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

// maxBody is the maximum size of a request's body.
const maxBody = 64 << 10

// access is the authentication that an endpoint requires.
type access int

const (
	// open needs no key: it is for a person's mail program, or a monitor.
	open access = iota
	// keyed needs the anon key or the service key.
	keyed
	// signedIn needs a key and the access token of a user.
	signedIn
	// admin needs the service key.
	admin
)

// request is a request as the endpoints see it.
type request struct {
	*http.Request
	settings *Settings
	// session is set if the endpoint requires a signed-in user.
	session session
}

// endpoint answers a request with a status and a body, or with an error. The error is a
// *problem if the caller should learn the reason. If body is nil, the response has no body.
type endpoint func(c *core, r *request) (status int, body any, err error)

// router returns the handler of all endpoints.
func (c *core) router() http.Handler {
	mux := http.NewServeMux()
	for _, route := range []struct {
		pattern string
		access  access
		handle  endpoint
	}{
		{"GET /health", open, (*core).health},
		{"GET /.well-known/jwks.json", open, (*core).publicKeys},
		{"GET /settings", keyed, (*core).publicSettings},
		{"POST /signup", keyed, (*core).signUp},
		{"POST /token", keyed, (*core).token},
		{"POST /recover", keyed, (*core).recover},
		{"POST /otp", keyed, (*core).otp},
		{"POST /magiclink", keyed, (*core).otp},
		{"POST /resend", keyed, (*core).resend},
		{"GET /verify", open, (*core).follow},
		{"POST /verify", keyed, (*core).verify},
		{"GET /reauthenticate", signedIn, (*core).reauthenticate},
		{"GET /user", signedIn, (*core).getUser},
		{"PUT /user", signedIn, (*core).updateUser},
		{"POST /logout", signedIn, (*core).signOut},
		{"POST /invite", admin, (*core).invite},
		{"POST /admin/generate_link", admin, (*core).generateLink},
		{"GET /admin/users", admin, (*core).listUsers},
		{"POST /admin/users", admin, (*core).createUser},
		{"GET /admin/users/{id}", admin, (*core).getUserByID},
		{"PUT /admin/users/{id}", admin, (*core).updateUserByID},
		{"DELETE /admin/users/{id}", admin, (*core).deleteUser},
	} {
		method, path, _ := strings.Cut(route.pattern, " ")
		mux.HandleFunc(method+" "+basePath+path, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			c.answer(w, r, route.access, route.handle)
		})
	}
	mux.HandleFunc("OPTIONS /", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { problemNotFound.write(w, r) })
	return mux
}

// allowOrigins lets pages of every origin call the engine. Only the tokens in a request
// grant rights; there are no cookies that a browser would add by itself.
func allowOrigins(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, X-Client-Info, X-Requested-With, apikey, "+versionHeader)
	h.Set("Access-Control-Expose-Headers", "X-Total-Count, Link, Retry-After, "+versionHeader)
	h.Set("Access-Control-Max-Age", "600")
}

// answer authenticates a request, and turns the endpoint's result into a response.
func (c *core) answer(w http.ResponseWriter, r *http.Request, needs access, handle endpoint) {
	asked := &request{Request: r, settings: c.engine.settings.Load()}
	err := c.admit(asked, needs)
	status, body := 0, any(nil)
	if err == nil {
		status, body, err = handle(c, asked)
	}
	if err != nil {
		c.problemOf(err).write(w, r)
		return
	}
	if more, is := body.(withHeader); is {
		maps.Copy(w.Header(), more.header)
		body = more.body
	}
	switch body := body.(type) {
	case nil:
		w.WriteHeader(status)
	case redirection:
		w.Header().Set("Location", string(body))
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
	default:
		writeJSON(w, status, body)
	}
}

// redirection is the body of an answer that redirects to this address.
type redirection string

// withHeader is the body of an answer that adds headers.
type withHeader struct {
	header http.Header
	body   any
}

// problemOf returns the problem that the caller receives for an error.
func (c *core) problemOf(err error) *problem {
	if p := (*problem)(nil); errors.As(err, &p) {
		return p
	}
	if isUnavailable(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return problemUnavailable
	}
	c.engine.log.Error("auth request failed", "error", err)
	return problemInternal
}

// admit checks the key and, if the endpoint requires a signed-in user, the token.
func (c *core) admit(r *request, needs access) error {
	if needs == open {
		return nil
	}
	bearer := httpauth.Token(r.Request)
	key := r.Header.Get("apikey")
	if key == "" {
		key = bearer
	}
	isService := sameSecret(key, r.settings.ServiceKey)
	switch {
	case key == "":
		return problemNoKey
	case !isService && !sameSecret(key, r.settings.AnonKey):
		return problemBadKey
	// A request with a user's access token acts as that user, even if it also has the
	// service key.
	case needs == admin && (!isService || bearer != "" && !sameSecret(bearer, r.settings.ServiceKey)):
		return problemNotAdmin
	case needs != signedIn:
		return nil
	case bearer == "" || bearer == key:
		return problemNoToken
	}
	var err error
	r.session, err = c.session(r.Context(), r.settings, bearer)
	return err
}

// sameSecret compares in constant time, so that the time does not reveal a correct prefix.
func sameSecret(have, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1
}

// decode reads the JSON of a request.
func (r *request) decode(into any) error {
	err := json.NewDecoder(r.Body).Decode(into)
	if p := (*problem)(nil); errors.As(err, &p) {
		return p
	}
	if errors.Is(err, io.EOF) {
		return problemNoBody
	}
	if err != nil {
		return &problem{http.StatusBadRequest, "bad_json", "The body is no JSON that fits."}
	}
	return nil
}

// redirectTo returns the target that the caller wants for a link.
func (r *request) redirectTo() string { return r.URL.Query().Get("redirect_to") }

func (c *core) health(*request) (int, any, error) {
	return http.StatusOK, map[string]any{"name": "auth", "description": "The auth engine of an instance", "version": "v1"}, nil
}

// publicSettings returns the features that browser clients can offer.
func (c *core) publicSettings(*request) (int, any, error) {
	return http.StatusOK, map[string]any{
		"external":           map[string]bool{"email": true, "phone": false, "anonymous_users": true},
		"disable_signup":     false,
		"mailer_autoconfirm": true,
		"phone_autoconfirm":  false,
		"sms_provider":       "",
		"saml_enabled":       false,
	}, nil
}

// publicKeys returns an empty list: the signing key is a secret, so clients ask the engine
// whether a token is valid.
func (c *core) publicKeys(*request) (int, any, error) {
	return http.StatusOK, map[string]any{"keys": []any{}}, nil
}
