package authengine

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

// reuse is how long a refresh token may be used a second time: two tabs of a
// browser may do so at once. Later, somebody else must have it.
const reuse = 10 * time.Second

// token gives tokens for a password, or for a refresh token.
func (c *core) token(r *request) (int, any, error) {
	switch r.URL.Query().Get("grant_type") {
	case "password":
		return c.passwordGrant(r)
	case "refresh_token":
		return c.refreshGrant(r)
	}
	return 0, nil, &problem{http.StatusBadRequest, "validation_failed", "grant_type must be password or refresh_token."}
}

func (c *core) passwordGrant(r *request) (int, any, error) {
	var sent credentials
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	email, err := normalEmail(sent.Email)
	if err != nil {
		return 0, nil, problemCredentials
	}
	if err := c.limits.take("from "+r.caller(), "to "+email); err != nil {
		return 0, nil, err
	}
	var known *user
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		known, err = findUser(r.Context(), tx, email)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	hash := c.nobodysHash
	if known != nil {
		hash = known.passwordHash
	}
	// The comparison is slow on purpose, so no transaction waits for it.
	if !passwordFits(sent.Password, hash) || known == nil {
		return 0, nil, problemCredentials
	}
	var made *signIn
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		made, err = c.begin(r.Context(), tx, r.settings, known)
		return err
	})
	return http.StatusOK, made, err
}

// refreshGrant gives a new pair of tokens for a refresh token, which is used up
// by it. A token that is used again after a while has been stolen, or its
// successor has: its session ends.
func (c *core) refreshGrant(r *request) (int, any, error) {
	var sent struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if err := c.limits.take("from " + r.caller()); err != nil {
		return 0, nil, err
	}
	var made *signIn
	stolen := false
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		of, used, err := takeRefreshToken(r.Context(), tx, sent.RefreshToken)
		if errors.Is(err, pgx.ErrNoRows) {
			return problemRefresh
		}
		if err != nil {
			return err
		}
		if stolen = used > reuse; stolen {
			// This has to stay in the database, so it is no error here.
			return endSessions(r.Context(), tx, of, "local")
		}
		made, err = c.goOn(r.Context(), tx, r.settings, of)
		return err
	})
	if err == nil && stolen {
		err = problemReused
	}
	return http.StatusOK, made, err
}

// takeRefreshToken uses a token up, and says how long ago it was used first.
func takeRefreshToken(ctx context.Context, tx pgx.Tx, token string) (of session, used time.Duration, err error) {
	var seconds float64
	of.user = &user{}
	u := of.user
	err = tx.QueryRow(ctx, "UPDATE auth.refresh_tokens AS t SET used_at = coalesce(t.used_at, now()) "+
		"FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id WHERE t.hash = $1 AND s.id = t.session_id "+
		"RETURNING extract(epoch FROM now() - t.used_at)::float8, s.id, "+userColumns, hashToken(token)).
		Scan(&seconds, &of.id, &u.ID, &u.Email, &u.passwordHash, &u.metadata, &u.createdAt, &u.updatedAt, &u.lastSignInAt)
	return of, time.Duration(seconds * float64(time.Second)), err
}
