package oauth

import (
	"errors"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// tokens is the answer of the token endpoint (RFC 6749, section 5.1).
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
}

// token exchanges a code or a refresh token for new tokens.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if !hasOnce(w, r, "grant_type", "client_id") {
		return
	}
	var made core.OAuthTokens
	var err error
	form, client := r.PostForm, r.PostForm.Get("client_id")
	resource, ok := s.resource(r, form.Get("resource"))
	// Some clients do not repeat the resource when they refresh. The tokens stay for the
	// resource of the grant in any case.
	if form.Get("grant_type") == "refresh_token" && !form.Has("resource") {
		ok = true
	}
	if !ok || len(form["resource"]) > 1 {
		refuse(w, "invalid_target", "resource must be "+resource)
		return
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		if !hasOnce(w, r, "code", "redirect_uri", "code_verifier") {
			return
		}
		made, err = s.Service.ExchangeCode(core.CodeExchange{
			Code: form.Get("code"), ClientID: client, RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"), Resource: resource,
		})
	case "refresh_token":
		if !hasOnce(w, r, "refresh_token") {
			return
		}
		made, err = s.Service.RefreshOAuth(form.Get("refresh_token"), client, resource)
	default:
		refuse(w, "unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
		return
	}
	if err != nil {
		refuseGrant(w, err)
		return
	}
	answer(w, http.StatusOK, tokens{made.Access, "Bearer", max(1, int64(made.ExpiresIn/time.Second)), made.Refresh})
}

// revoke ends the grant of a token (RFC 7009).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if !hasOnce(w, r, "token", "client_id") {
		return
	}
	if err := s.Service.RevokeOAuth(r.PostForm.Get("token"), r.PostForm.Get("client_id")); err != nil {
		refuseGrant(w, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func refuseGrant(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, core.ErrInvalidGrant):
		refuse(w, "invalid_grant", err.Error())
	case errors.Is(err, core.ErrInvalidTarget):
		refuse(w, "invalid_target", err.Error())
	default:
		http.Error(w, "the answer could not be made", http.StatusInternalServerError)
	}
}

// hasOnce reports whether the body is a form with each of these fields once. Otherwise it
// refuses the request. Parameters in the address do not count: addresses are logged.
func hasOnce(w http.ResponseWriter, r *http.Request, names ...string) bool {
	if err := r.ParseForm(); err != nil {
		refuse(w, "invalid_request", "the body is not a form")
		return false
	}
	for _, name := range names {
		if len(r.PostForm[name]) != 1 || r.PostForm.Get(name) == "" {
			refuse(w, "invalid_request", name+" must be in the form once")
			return false
		}
	}
	return true
}
