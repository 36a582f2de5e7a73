package oauth

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

// challengeMethod is the only method of PKCE.
const challengeMethod = "S256"

// challenge matches the code challenges of S256: 32 bytes in base64url.
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Request is a valid request for authorization.
type Request struct {
	Client Client
	// Values are the parameters, which a form of the consent page repeats.
	Values url.Values

	redirectURI, state, challenge, resource, issuer string
	service                                         *core.Service
}

// Refusal is the error of a request for authorization.
type Refusal struct {
	Code, Detail string
	// Redirect is the address at the client that the browser is to open. It is "" if the
	// client or its redirect URI is not valid, as nothing may be sent there.
	Redirect string
}

// Error returns the detail.
func (r *Refusal) Error() string { return r.Detail }

// parameters are the known parameters of a request. Each may be there once (RFC 6749,
// section 3.1).
var parameters = []string{
	"client_id", "redirect_uri", "response_type", "response_mode", "code_challenge", "code_challenge_method", "resource", "state", "scope",
}

// Parse checks the parameters of a request for authorization. Its error is a *Refusal.
func (s *Server) Parse(r *http.Request, sent url.Values) (Request, error) {
	known := url.Values{}
	for _, name := range parameters {
		if len(sent[name]) > 1 {
			return Request{}, &Refusal{Code: "invalid_request", Detail: name + " is there more than once"}
		}
		if sent.Has(name) {
			known.Set(name, sent.Get(name))
		}
	}
	client, err := s.client(r.Context(), known.Get("client_id"))
	if err != nil {
		return Request{}, &Refusal{Code: "invalid_client", Detail: err.Error()}
	}
	request := Request{
		Client: client, Values: known, redirectURI: known.Get("redirect_uri"), state: known.Get("state"),
		challenge: known.Get("code_challenge"), issuer: httpauth.Root(r), service: s.Service,
	}
	if !matchesRedirectURI(client.RedirectURIs, request.redirectURI) {
		return Request{}, &Refusal{Code: "invalid_request", Detail: "the redirect_uri is not one of the application's"}
	}
	own, ok := s.resource(r, known.Get("resource"))
	request.resource = own
	mode := known.Get("response_mode")
	switch {
	case known.Get("response_type") != "code":
		return Request{}, request.refuse("unsupported_response_type", "response_type must be code")
	case mode != "" && mode != "query":
		return Request{}, request.refuse("invalid_request", "response_mode must be query")
	case known.Get("code_challenge_method") != challengeMethod || !challenge.MatchString(request.challenge):
		return Request{}, request.refuse("invalid_request", "code_challenge is required, with the code_challenge_method S256")
	case !ok:
		return Request{}, request.refuse("invalid_target", fmt.Sprintf("resource must be %s", own))
	}
	return request, nil
}

// RedirectURI returns the address at the client that gets the answer.
func (q Request) RedirectURI() string { return q.redirectURI }

// Allow records the consent. It returns the address at the client that the browser is to
// open, with the code.
func (q Request) Allow() (redirect string, err error) {
	code, err := q.service.GrantOAuth(core.OAuthConsent{
		ClientID: q.Client.ID, ClientName: q.Client.Name, Resource: q.resource, RedirectURI: q.redirectURI, Challenge: q.challenge,
	})
	if err != nil {
		return "", err
	}
	return q.answerWith(url.Values{"code": {code}}), nil
}

// Deny returns the address at the client that says that the person did not consent.
func (q Request) Deny() (redirect string) {
	return q.refuse("access_denied", "the person did not consent").Redirect
}

func (q Request) refuse(code, detail string) *Refusal {
	return &Refusal{code, detail, q.answerWith(url.Values{"error": {code}, "error_description": {detail}})}
}

// answerWith adds an answer to the redirect URI, with the state and the issuer (RFC 9207).
func (q Request) answerWith(values url.Values) string {
	u, err := url.Parse(q.redirectURI)
	if err != nil {
		panic("oauth: " + err.Error()) // it was checked
	}
	query := u.Query()
	for name := range values {
		query.Set(name, values.Get(name))
	}
	query.Set("iss", q.issuer)
	if q.state != "" {
		query.Set("state", q.state)
	}
	u.RawQuery = query.Encode()
	return u.String()
}
