package authengine

import (
	"encoding/json"
	"net/http"
)

// problem is an answer that says what is wrong.
type problem struct {
	status  int
	code    string
	message string
}

// The problems that several requests can have. Which part of an e-mail address
// and password is wrong is nobody's business.
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
	problemExists      = &problem{http.StatusUnprocessableEntity, "user_already_exists", "User already registered"}
	problemLink        = &problem{http.StatusForbidden, "otp_expired", "Email link is invalid or has expired"}
	problemNotFound    = &problem{http.StatusNotFound, "not_found", "There is no such endpoint."}
	problemNoUser      = &problem{http.StatusNotFound, "user_not_found", "User not found"}
	problemUnavailable = &problem{http.StatusServiceUnavailable, "unavailable", "The auth engine or its database is starting. Try again in a moment."}
	problemInternal    = &problem{http.StatusInternalServerError, "unexpected_failure", "Something went wrong in the auth engine."}
)

// Error is the message.
func (p *problem) Error() string { return p.message }

// invalid is a request whose content does not fit.
func invalid(code, message string) *problem {
	return &problem{http.StatusUnprocessableEntity, code, message}
}

func (p *problem) write(w http.ResponseWriter) {
	if p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, p.status, map[string]any{"code": p.status, "error_code": p.code, "msg": p.message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // nothing is left to do for a client that has gone
}
