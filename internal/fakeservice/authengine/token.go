package authengine

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

// reuse is the time in which a refresh token may be used a second time, because two tabs of
// a browser may use it at nearly the same time. A later use means that the token was
// stolen.
const reuse = 10 * time.Second

// token issues tokens for a password, for a refresh token, or for a link that the same
// browser asked for.
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

// passwordGrant issues tokens for a password. It reveals a ban or an unconfirmed address
// only to a caller with the right password.
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
	// The comparison is slow on purpose, so it runs outside a transaction.
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
		// The account may have been banned, changed or deleted during the comparison.
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

// refreshGrant exchanges a refresh token for a new pair of tokens. If a token is used again
// after a while, it or its successor was stolen, and its session ends.
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
			// The end of the sessions must be committed, so the transaction returns no
			// error.
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

// takeRefreshToken uses a token up, and returns the time since its first use.
func takeRefreshToken(ctx context.Context, t *task, token string) (of session, used time.Duration, err error) {
	var seconds float64
	of.user = &user{}
	err = t.QueryRow(ctx, "UPDATE auth.refresh_tokens AS t SET used_at = coalesce(t.used_at, now()) "+
		"FROM auth.sessions AS s JOIN auth.users AS u ON u.id = s.user_id WHERE t.hash = $1 AND s.id = t.session_id "+
		"RETURNING extract(epoch FROM now() - t.used_at)::float8, s.id, s.method, s.created_at, "+userColumns, hashToken(token)).
		Scan(append([]any{&seconds, &of.id, &of.method, &of.began}, of.user.fields()...)...)
	return of, time.Duration(seconds * float64(time.Second)), err
}
