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

// token gives tokens for a password, for a refresh token, or for a link that
// the same browser asked for.
func (c *core) token(r *request) (int, any, error) {
	switch r.URL.Query().Get("grant_type") {
	case "password":
		return c.passwordGrant(r)
	case "refresh_token":
		return c.refreshGrant(r)
	case "pkce":
		return c.pkceGrant(r)
	}
	return 0, nil, refused("validation_failed", "grant_type must be password, refresh_token or pkce.")
}

// passwordGrant tells of a ban, or of an address that is not confirmed, only
// who has the password.
func (c *core) passwordGrant(r *request) (int, any, error) {
	var sent credentials
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if sent.Phone != "" {
		return 0, nil, problemNoPhone
	}
	email, err := normalEmail(sent.Email)
	if err != nil {
		return 0, nil, problemCredentials
	}
	if err := c.attempt(r, toSignIn, email); err != nil {
		return 0, nil, err
	}
	var known *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		known, err = t.find(ctx, email)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	hash := c.nobodysHash
	if known != nil && known.passwordHash != "" {
		hash = known.passwordHash
	}
	// The comparison is slow on purpose, so no transaction waits for it.
	switch fits := passwordFits(sent.Password, hash); {
	case !fits || known == nil || known.passwordHash == "":
		return 0, nil, problemCredentials
	case known.isBanned():
		return 0, nil, problemBanned
	case !known.isConfirmed():
		return 0, nil, refused("email_not_confirmed", "Email not confirmed")
	}
	var made *signIn
	err = c.commit(r, func(ctx context.Context, t *task) error {
		// Meanwhile the account may have been banned, changed or deleted.
		now, err := t.get(ctx, known.ID)
		if errors.Is(err, problemNoUser) || err == nil && now.passwordHash != known.passwordHash {
			return problemCredentials
		}
		if err != nil {
			return err
		}
		made, err = c.begin(ctx, t, now, methodPassword)
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
	if err := c.attempt(r, toRefresh, ""); err != nil {
		return 0, nil, err
	}
	var made *signIn
	stolen := false
	err := c.commit(r, func(ctx context.Context, t *task) error {
		of, used, err := takeRefreshToken(ctx, t, sent.RefreshToken)
		if errors.Is(err, pgx.ErrNoRows) {
			return problemRefresh
		}
		if err != nil {
			return err
		}
		if of.user.isBanned() {
			return refused("user_banned", "Invalid Refresh Token: User Banned")
		}
		if stolen = used > reuse; stolen {
			// This has to stay in the database, so it is no error here.
			return endSessions(ctx, t, of, "local")
		}
		made, err = c.goOn(ctx, t, of)
		return err
	})
	if err == nil && stolen {
		err = problemReused
	}
	return http.StatusOK, made, err
}

// takeRefreshToken uses a token up, and says how long ago it was used first.
func takeRefreshToken(ctx context.Context, t *task, token string) (of session, used time.Duration, err error) {
	var seconds float64
	of.user = &user{}
	err = t.QueryRow(ctx, "UPDATE auth.refresh_tokens AS t SET used_at = coalesce(t.used_at, now()) "+
		"FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id WHERE t.hash = $1 AND s.id = t.session_id "+
		"RETURNING extract(epoch FROM now() - t.used_at)::float8, s.id, s.method, s.created_at, "+userColumns, hashToken(token)).
		Scan(append([]any{&seconds, &of.id, &of.method, &of.began}, of.user.fields()...)...)
	return of, time.Duration(seconds * float64(time.Second)), err
}
