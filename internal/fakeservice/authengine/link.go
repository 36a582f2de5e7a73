package authengine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// linkLife is how long a link is good for. It works once.
const linkLife = time.Hour

// recover makes a link that signs the owner of an e-mail address in, to choose
// another password or because they have none at hand. The answer is the same
// whether there is an account or not.
func (c *core) recover(r *request) (int, any, error) {
	var sent struct {
		Email string `json:"email"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	email, err := normalEmail(sent.Email)
	if err != nil {
		return 0, nil, err
	}
	if err := c.limits.take("from "+r.caller(), "to "+email); err != nil {
		return 0, nil, err
	}
	target, err := redirectTarget(r.settings, r.URL.Query().Get("redirect_to"))
	if err != nil {
		return 0, nil, err
	}
	kind := "recovery"
	if r.URL.Path == basePath+"/magiclink" {
		kind = "magiclink"
	}
	token, hash := newToken()
	var known *user
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(r.Context(), "DELETE FROM auth.one_time_tokens WHERE created_at <= now() - make_interval(secs => $1)", linkLife.Seconds()); err != nil {
			return err
		}
		if known, err = findUser(r.Context(), tx, email); err != nil || known == nil {
			return err
		}
		_, err = tx.Exec(r.Context(), "INSERT INTO auth.one_time_tokens (hash, user_id, kind) VALUES ($1, $2, $3)", hash, known.ID, kind)
		return err
	})
	if err == nil && known != nil {
		query := url.Values{"token": {token}, "type": {kind}, "redirect_to": {target}}
		c.engine.options.Notify(Event{
			Kind: "auth_link_sent", UserID: known.ID, Email: known.Email, Link: c.engine.url + "/verify?" + query.Encode(),
		})
	}
	return http.StatusOK, map[string]any{}, err
}

// verify is where a link leads: it signs its owner in and goes on to the app,
// with the tokens in the fragment, which servers never see. The target is
// checked again, as anybody can write a link.
func (c *core) verify(r *request) (int, any, error) {
	query := r.URL.Query()
	target, err := redirectTarget(r.settings, query.Get("redirect_to"))
	if err != nil {
		return 0, nil, err
	}
	var made *signIn
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		u, err := useLink(r.Context(), tx, query.Get("token"), query.Get("type"))
		if err != nil {
			return err
		}
		made, err = c.begin(r.Context(), tx, r.settings, u)
		return err
	})
	var fragment url.Values
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		fragment = url.Values{"error": {"access_denied"}, "error_code": {problemLink.code}, "error_description": {problemLink.message}}
	case err != nil:
		return 0, nil, err
	default:
		fragment = url.Values{
			"access_token": {made.access}, "refresh_token": {made.refresh}, "token_type": {"bearer"},
			"expires_in": {strconv.Itoa(int(made.life.Seconds()))}, "type": {query.Get("type")},
		}
	}
	to, err := url.Parse(target)
	if err != nil {
		return 0, nil, err
	}
	to.Fragment = ""
	return http.StatusSeeOther, redirection(to.String() + "#" + fragment.Encode()), nil
}

// useLink uses a link's token up and returns whose it is.
func useLink(ctx context.Context, tx pgx.Tx, token, kind string) (*user, error) {
	return scanUser(tx.QueryRow(ctx, "WITH used AS (DELETE FROM auth.one_time_tokens WHERE hash = $1 AND kind = $2 RETURNING user_id, created_at) "+
		"SELECT "+userColumns+" FROM used JOIN auth.users AS u ON u.id = used.user_id WHERE used.created_at > now() - make_interval(secs => $3)",
		hashToken(token), kind, linkLife.Seconds()))
}
