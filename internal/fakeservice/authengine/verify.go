package authengine

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
)

// halfDone is the answer to the first half of a change of address.
const halfDone = "Confirmation link accepted. Please proceed to confirm link sent to the other email"

// verify signs in a caller that has the link's token, or the code and the address that it
// was sent to.
func (c *core) verify(r *request) (int, any, error) {
	var sent struct {
		Type      string `json:"type"`
		Token     string `json:"token"`
		TokenHash string `json:"token_hash"`
		Email     string `json:"email"`
		Phone     string `json:"phone"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	kinds := kindsOf(sent.Type)
	switch {
	case sent.Phone != "":
		return 0, nil, problemNoPhone
	case sent.Type == "":
		return 0, nil, refused("validation_failed", "Verify requires a verification type")
	case kinds == nil:
		return 0, nil, refused("validation_failed", "Invalid email verification type")
	case sent.Token == "" && sent.TokenHash == "":
		return 0, nil, refused("validation_failed", "Verify requires a token or a token hash")
	case sent.TokenHash != "" && sent.Email != "":
		return 0, nil, refused("validation_failed", "Only the token_hash and type should be provided")
	}
	email, err := "", error(nil)
	if sent.TokenHash == "" {
		if email, err = normalEmail(sent.Email); err != nil {
			return 0, nil, refused("validation_failed", "Only an email address or phone number should be provided on verify")
		}
	}
	if err := c.attempt(r, toVerify, email); err != nil {
		return 0, nil, err
	}
	var made *signIn
	err = c.commit(r, func(ctx context.Context, t *task) error {
		var of used
		if email == "" {
			of, err = t.useToken(ctx, sent.TokenHash, kinds)
		} else if of, err = t.useCode(ctx, email, sent.Token, kinds); errors.Is(err, problemLink) {
			err = problemCode
		}
		if err != nil {
			return err
		}
		made = nil
		whole, err := c.proved(ctx, t, of)
		if err == nil && whole != nil {
			made, err = c.begin(ctx, t, whole, methodOTP)
		}
		return err
	})
	if err == nil && made == nil {
		return http.StatusOK, map[string]any{"code": "200", "msg": halfDone}, nil
	}
	return http.StatusOK, made, err
}

// follow answers a request for a link. It signs the link's owner in and redirects to the
// app. The tokens are in the fragment, which servers never see; or the query has a code,
// which only the browser that asked for the link can use. The target is checked again,
// because anyone can write a link.
func (c *core) follow(r *request) (int, any, error) {
	query := r.URL.Query()
	target, err := redirectTarget(r.settings, query.Get("redirect_to"))
	if err != nil {
		return 0, nil, err
	}
	to, err := url.Parse(target)
	if err != nil {
		return 0, nil, err
	}
	to.Fragment, to.RawFragment = "", ""
	said, inQuery := url.Values{}, url.Values{}
	verification := query.Get("type")
	err = c.commit(r, func(ctx context.Context, t *task) error {
		of, err := t.useToken(ctx, query.Get("token"), kindsOf(verification))
		if err != nil {
			return err
		}
		whole, err := c.proved(ctx, t, of)
		if err != nil {
			return err
		}
		switch {
		case whole == nil:
			said = url.Values{"message": {halfDone}}
		case of.challenge != "":
			code, err := t.beginFlow(ctx, whole, verification, of.challenge)
			inQuery = url.Values{"code": {code}}
			return err
		default:
			made, err := c.begin(ctx, t, whole, methodOTP)
			if err == nil {
				said = url.Values{
					"access_token": {made.access}, "refresh_token": {made.refresh}, "token_type": {"bearer"},
					"expires_in": {strconv.Itoa(int(made.life.Seconds()))}, "expires_at": {strconv.FormatInt(made.expires.Unix(), 10)},
					"type": {verification},
				}
			}
			return err
		}
		return nil
	})
	if p := (*problem)(nil); errors.As(err, &p) {
		said = url.Values{"error": {"access_denied"}, "error_code": {p.code}, "error_description": {p.message}}
		// A browser that waits for a code looks for errors in the query too.
		inQuery = said
	} else if err != nil {
		return 0, nil, err
	}
	return http.StatusSeeOther, redirection(withValues(to, inQuery, said)), nil
}

// withValues returns an address with additional values in its query, and with a fragment.
func withValues(to *url.URL, query, fragment url.Values) string {
	if len(query) > 0 {
		all := to.Query()
		for name, values := range query {
			all[name] = values
		}
		to.RawQuery = all.Encode()
	}
	if len(fragment) == 0 {
		return to.String()
	}
	return to.String() + "#" + fragment.Encode()
}

// proved does what a used token stands for, and returns the account to sign in. The account
// is nil if the other half of a change of address is missing.
func (c *core) proved(ctx context.Context, t *task, of used) (*user, error) {
	if of.kind == changeCurrent || of.kind == changeNew {
		return t.provedChange(ctx, of.user)
	}
	return t.set(ctx, of.user.ID, "email_confirmed_at = coalesce(email_confirmed_at, now())")
}
