package authengine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
)

// session is somebody who is signed in.
type session struct {
	id   string
	user *user
}

// signIn is the answer that gives somebody their tokens.
type signIn struct {
	user            *user
	access, refresh string
	life            time.Duration
	expires         time.Time
}

// MarshalJSON is the session as browser clients take it.
func (s *signIn) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"access_token": s.access, "token_type": "bearer", "refresh_token": s.refresh,
		"expires_in": int(s.life.Seconds()), "expires_at": s.expires.Unix(), "user": s.user,
	})
}

// claims are what an access token says.
type claims struct {
	jwt.RegisteredClaims
	Email        string          `json:"email"`
	Role         string          `json:"role"`
	SessionID    string          `json:"session_id"`
	AppMetadata  map[string]any  `json:"app_metadata"`
	UserMetadata json.RawMessage `json:"user_metadata"`
}

// begin starts a session for a user.
func (c *core) begin(ctx context.Context, tx pgx.Tx, s *Settings, u *user) (*signIn, error) {
	var id string
	err := tx.QueryRow(ctx, "WITH seen AS (UPDATE auth.users SET last_sign_in_at = now() WHERE id = $1) "+
		"INSERT INTO auth.sessions (user_id) VALUES ($1) RETURNING id", u.ID).Scan(&id)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	u.lastSignInAt = &now
	return c.goOn(ctx, tx, s, session{id: id, user: u})
}

// goOn gives a session a new pair of tokens.
func (c *core) goOn(ctx context.Context, tx pgx.Tx, s *Settings, of session) (*signIn, error) {
	refresh, hash := newToken()
	if _, err := tx.Exec(ctx, "INSERT INTO auth.refresh_tokens (hash, session_id) VALUES ($1, $2)", hash, of.id); err != nil {
		return nil, err
	}
	now := time.Now()
	made := &signIn{user: of.user, refresh: refresh, life: c.engine.options.TokenLife, expires: now.Add(c.engine.options.TokenLife)}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: c.engine.url, Subject: of.user.ID, Audience: jwt.ClaimStrings{"authenticated"},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(made.expires),
		},
		Email: of.user.Email, Role: "authenticated", SessionID: of.id,
		AppMetadata: map[string]any{"provider": "email"}, UserMetadata: of.user.metadata,
	})
	var err error
	made.access, err = token.SignedString([]byte(s.SigningKey))
	return made, err
}

// newToken makes a text that cannot be guessed, and what is kept of it.
func newToken() (token string, hash []byte) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	token = base64.RawURLEncoding.EncodeToString(random[:])
	return token, hashToken(token)
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// session finds out who sends an access token. Its session is looked up, so
// that a sign-out counts before the token expires.
func (c *core) session(ctx context.Context, s *Settings, token string) (session, error) {
	var said claims
	_, err := jwt.ParseWithClaims(token, &said, func(*jwt.Token) (any, error) { return []byte(s.SigningKey), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(),
		jwt.WithIssuer(c.engine.url), jwt.WithAudience("authenticated"))
	if err != nil {
		return session{}, problemBadToken
	}
	of := session{id: said.SessionID}
	err = c.accounts.inTransaction(ctx, func(tx pgx.Tx) error {
		of.user, err = scanUser(tx.QueryRow(ctx, "SELECT "+userColumns+" FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id "+
			"WHERE s.id = $1 AND u.id = $2", said.SessionID, said.Subject))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return session{}, problemNoSession
	}
	return of, err
}

// signOut ends this session, the others or all of them, as scope says.
func (c *core) signOut(r *request) (int, any, error) {
	scope := r.URL.Query().Get("scope")
	switch scope {
	case "":
		scope = "global"
	case "global", "local", "others":
	default:
		return 0, nil, &problem{http.StatusBadRequest, "validation_failed", "scope must be global, local or others."}
	}
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		return endSessions(r.Context(), tx, r.session, scope)
	})
	return http.StatusNoContent, nil, err
}

func endSessions(ctx context.Context, tx pgx.Tx, of session, scope string) error {
	_, err := tx.Exec(ctx, "DELETE FROM auth.sessions WHERE user_id = $1 AND ($2 = 'global' OR ($2 = 'local') = (id = $3))", of.user.ID, scope, of.id)
	return err
}
