package authengine

import (
	"encoding/json"
	"net/http"
)

// problem is an error that the caller receives as an answer.
type problem struct {
	status  int
	code    string
	message string
}

// The problems that several requests share. None reveals which part of an e-mail address
// and password is wrong.
var (
	problemNoKey       = &problem{http.StatusUnauthorized, "no_api_key", "No API key found in the request. Send the anon key as the header apikey."}
	problemBadKey      = &problem{http.StatusUnauthorized, "invalid_api_key", "The API key is not valid."}
	problemNoToken     = &problem{http.StatusUnauthorized, "no_authorization", "This endpoint requires a bearer token of a signed-in user."}
	problemBadToken    = &problem{http.StatusForbidden, "bad_jwt", "The access token is not valid or has expired."}
	problemNoSession   = &problem{http.StatusForbidden, "session_not_found", "The session of this token has ended."}
	problemNotAdmin    = &problem{http.StatusForbidden, "not_admin", "This endpoint requires the service key."}
	problemCredentials = &problem{http.StatusBadRequest, "invalid_credentials", "Invalid login credentials"}
	problemRefresh     = &problem{http.StatusBadRequest, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found"}
	problemReused      = &problem{http.StatusBadRequest, "refresh_token_already_used", "Invalid Refresh Token: Already Used"}
	problemBanned      = &problem{http.StatusBadRequest, "user_banned", "User is banned"}
	problemBannedNow   = &problem{http.StatusForbidden, "user_banned", "User is banned"}
	problemExists      = &problem{http.StatusUnprocessableEntity, "user_already_exists", "User already registered"}
	problemEmailExists = &problem{http.StatusUnprocessableEntity, "email_exists", "A user with this email address has already been registered"}
	problemNoPhone     = &problem{http.StatusBadRequest, "phone_provider_disabled", "Unsupported phone provider"}
	problemNoBody      = &problem{http.StatusBadRequest, "bad_json", "The request has no body."}
	problemCode        = &problem{http.StatusForbidden, "otp_expired", "Token has expired or is invalid"}
	problemLink        = &problem{http.StatusForbidden, "otp_expired", "Email link is invalid or has expired"}
	problemNotFound    = &problem{http.StatusNotFound, "not_found", "There is no such endpoint."}
	problemNoUser      = &problem{http.StatusNotFound, "user_not_found", "User not found"}
	problemUnavailable = &problem{http.StatusServiceUnavailable, "unavailable", "The auth engine or its database is starting. Try again in a moment."}
	problemInternal    = &problem{http.StatusInternalServerError, "unexpected_failure", "Something went wrong in the auth engine."}
)

// Error returns the message.
func (p *problem) Error() string { return p.message }

// invalid returns a problem for a request whose content is invalid.
func invalid(code, message string) *problem {
	return &problem{http.StatusUnprocessableEntity, code, message}
}

// refused returns a problem for a request that cannot be fulfilled.
func refused(code, message string) *problem {
	return &problem{http.StatusBadRequest, code, message}
}

// versionHeader is the header with which a client selects a form of errors, and
// errorVersion is the value of the newer form.
const (
	versionHeader = "X-Supabase-Api-Version"
	errorVersion  = "2024-01-01"
)

// write answers with the problem, in the newer form if the client asks for it.
func (p *problem) write(w http.ResponseWriter, r *http.Request) {
	if p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	body := map[string]any{"code": p.status, "error_code": p.code, "msg": p.message}
	// Versions are dates, so they sort as texts.
	if r.Header.Get(versionHeader) >= errorVersion {
		w.Header().Set(versionHeader, errorVersion)
		body = map[string]any{"code": p.code, "message": p.message}
	}
	if p.code == "weak_password" {
		body["weak_password"] = map[string]any{"reasons": []string{"length"}}
	}
	writeJSON(w, p.status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // nothing is left to do for a client that has gone
}
