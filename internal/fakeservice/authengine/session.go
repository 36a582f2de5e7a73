package authengine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
)

// audience is the audience of every user's token.
const audience = "authenticated"

// The methods by which sessions begin, as tokens name them. If a browser exchanged a link
// for its session, the method is the link's type.
const (
	methodPassword  = "password"
	methodAnonymous = "anonymous"
	methodOTP       = "otp"
)

// session is a signed-in user.
type session struct {
	id     string
	method string
	began  time.Time
	user   *user
}

// signIn is the answer to a successful sign-in, with the user's tokens.
type signIn struct {
	user            *user
	access, refresh string
	life            time.Duration
	expires         time.Time
}

// MarshalJSON encodes the session as browser clients expect it.
func (s *signIn) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"access_token": s.access, "token_type": "bearer", "refresh_token": s.refresh,
		"expires_in": int(s.life.Seconds()), "expires_at": s.expires.Unix(), "user": s.user,
	})
}

// claims is the content of an access token.
type claims struct {
	jwt.RegisteredClaims
	// Audience hides the registered claim, which is encoded as a list.
	Audience     string   `json:"aud"`
	Email        string   `json:"email"`
	Phone        string   `json:"phone"`
	Role         string   `json:"role"`
	AAL          string   `json:"aal"`
	AMR          []proof  `json:"amr"`
	SessionID    string   `json:"session_id"`
	IsAnonymous  bool     `json:"is_anonymous"`
	AppMetadata  metadata `json:"app_metadata"`
	UserMetadata metadata `json:"user_metadata"`
}

// GetAudience returns the audience of the token.
func (c claims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Audience}, nil }

// proof records how a user authenticated, and when, in Unix seconds.
type proof struct {
	Method    string `json:"method"`
	Timestamp int64  `json:"timestamp"`
}

// begin starts a session for a user, unless they are banned.
func (c *core) begin(ctx context.Context, t *task, u *user, method string) (*signIn, error) {
	if u.isBanned() {
		return nil, problemBanned
	}
	of := session{user: u, method: method}
	err := t.QueryRow(ctx, "WITH seen AS (UPDATE auth.users SET last_sign_in_at = now() WHERE id = $1) "+
		"INSERT INTO auth.sessions (user_id, method) VALUES ($1, $2) RETURNING id, created_at", u.ID, method).Scan(&of.id, &of.began)
	if err != nil {
		return nil, err
	}
	u.lastSignInAt = &of.began
	return c.goOn(ctx, t, of)
}

// goOn issues a new pair of tokens for a session.
func (c *core) goOn(ctx context.Context, t *task, of session) (*signIn, error) {
	refresh, hash := newToken()
	if _, err := t.Exec(ctx, "INSERT INTO auth.refresh_tokens (hash, session_id) VALUES ($1, $2)", hash, of.id); err != nil {
		return nil, err
	}
	now, u := time.Now(), of.user
	made := &signIn{user: u, refresh: refresh, life: c.engine.options.TokenLife, expires: now.Add(c.engine.options.TokenLife)}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: c.engine.URL(), Subject: u.ID, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(made.expires),
		},
		Audience: audience, Email: u.Email, Role: u.role, SessionID: of.id, IsAnonymous: u.isAnonymous,
		AAL: "aal1", AMR: []proof{{of.method, of.began.Unix()}}, AppMetadata: u.appMetadata, UserMetadata: u.metadata,
	})
	var err error
	made.access, err = token.SignedString([]byte(t.settings.SigningKey))
	return made, err
}

// session identifies the sender of an access token. It looks the token's session up, so
// that a sign-out or a ban takes effect before the token expires.
func (c *core) session(ctx context.Context, s *Settings, token string) (session, error) {
	var said claims
	_, err := jwt.ParseWithClaims(token, &said, func(*jwt.Token) (any, error) { return []byte(s.SigningKey), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithIssuer(c.engine.URL()), jwt.WithAudience(audience))
	if err != nil {
		return session{}, problemBadToken
	}
	of := session{id: said.SessionID, user: &user{}}
	err = c.accounts.inTransaction(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT s.method, s.created_at, "+userColumns+" FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id "+
			"WHERE s.id = $1 AND u.id = $2", said.SessionID, said.Subject).Scan(append([]any{&of.method, &of.began}, of.user.fields()...)...)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session{}, problemNoSession
	case err == nil && of.user.isBanned():
		return session{}, problemBannedNow
	}
	return of, err
}

// signOut ends this session, the others or all of them, as the scope says.
func (c *core) signOut(r *request) (int, any, error) {
	scope := r.URL.Query().Get("scope")
	switch scope {
	case "":
		scope = "global"
	case "global", "local", "others":
	default:
		return 0, nil, refused("validation_failed", "scope must be global, local or others.")
	}
	err := c.commit(r, func(ctx context.Context, t *task) error { return endSessions(ctx, t, r.session, scope) })
	return http.StatusNoContent, nil, err
}

func endSessions(ctx context.Context, t *task, of session, scope string) error {
	_, err := t.Exec(ctx, "DELETE FROM auth.sessions WHERE user_id = $1 AND ($2 = 'global' OR ($2 = 'local') = (id::text = $3))", of.user.ID, scope, of.id)
	return err
}
