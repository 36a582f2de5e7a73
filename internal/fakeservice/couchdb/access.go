package couchdb

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Customer is the name of the only user.
const Customer = "admin"

// sessionPath is where a client exchanges the password for a cookie.
const (
	sessionPath   = "/_session"
	sessionCookie = "AuthSession"
)

// sessionTime is the time that a cookie is valid after its last use.
const sessionTime = 10 * time.Minute

// largestLogin limits the size of a request for a cookie, in bytes.
const largestLogin = 4 << 10

// access decides who may ask, by one password. It is safe for concurrent use.
type access struct {
	password string
	// life ends when the password has been changed.
	*ending
}

func newAccess(password string) *access { return &access{password, newEnding()} }

// admits reports whether a request is the customer's, and how it shows that. It prolongs the
// session of a cookie.
func (a *access) admits(w http.ResponseWriter, r *http.Request) (by string, ok bool) {
	if name, password, basic := r.BasicAuth(); basic {
		return "default", a.matches(name, password)
	}
	cookie, err := r.Cookie(sessionCookie)
	if err != nil || !a.knows(cookie.Value) {
		return "", false
	}
	a.setCookie(w)
	return "cookie", true
}

// matches compares a name and a password in constant time.
func (a *access) matches(name, password string) bool {
	return same(name, Customer)&same(password, a.password) == 1
}

// same returns 1 for equal texts, and 0 otherwise. Its time does not depend on the second.
func same(given, want string) int {
	x, y := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(x[:], y[:])
}

// setCookie gives the client a cookie. It is signed with the password, so that it is valid
// until that changes, also after a restart.
func (a *access) setCookie(w http.ResponseWriter) {
	end := time.Now().Add(sessionTime)
	until := strconv.FormatInt(end.Unix(), 10)
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: until + "." + a.sign(until), Path: "/", HttpOnly: true, Secure: true,
		Expires: end, MaxAge: int(sessionTime.Seconds()), SameSite: http.SameSiteStrictMode, // some clients know only one of the times
	})
}

func (a *access) knows(cookie string) bool {
	text, signature, _ := strings.Cut(cookie, ".")
	until, err := strconv.ParseInt(text, 10, 64)
	return same(signature, a.sign(text)) == 1 && err == nil && time.Now().Unix() < until
}

func (a *access) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(a.password))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// session answers a request about the client's session.
func (a *access) session(w http.ResponseWriter, r *http.Request) {
	roles := []string{"_admin"}
	switch r.Method {
	case http.MethodPost:
		name, password := login(w, r)
		if !a.matches(name, password) {
			unauthorized(w)
			return
		}
		a.setCookie(w)
		answer(w, http.StatusOK, map[string]any{"ok": true, "name": Customer, "roles": roles})
	case http.MethodDelete:
		http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", HttpOnly: true, Secure: true, MaxAge: -1, SameSite: http.SameSiteStrictMode})
		answer(w, http.StatusOK, map[string]any{"ok": true})
	case http.MethodGet, http.MethodHead:
		by, ok := a.admits(w, r)
		if !ok {
			unauthorized(w)
			return
		}
		answer(w, http.StatusOK, map[string]any{
			"ok": true, "userCtx": map[string]any{"name": Customer, "roles": roles},
			"info": map[string]any{"authentication_handlers": []string{"cookie", "default"}, "authenticated": by},
		})
	default:
		w.Header().Set("Allow", "DELETE, GET, HEAD, POST")
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", "Only DELETE,GET,HEAD,POST allowed")
	}
}

// login reads the name and the password of a request, which is JSON or a form.
func login(w http.ResponseWriter, r *http.Request) (name, password string) {
	r.Body = http.MaxBytesReader(w, r.Body, largestLogin)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return r.PostFormValue("name"), r.PostFormValue("password")
	}
	var given struct{ Name, Password string }
	if json.NewDecoder(r.Body).Decode(&given) != nil {
		return "", "" // no user has an empty name
	}
	return given.Name, given.Password
}

// answer sends a JSON document.
func answer(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // the client may have left
}
