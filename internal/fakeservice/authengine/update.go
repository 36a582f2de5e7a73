package authengine

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// trusted is the age up to which a session may change the password without a code.
const trusted = 24 * time.Hour

// update is the body of a signed-in user's changes.
type update struct {
	Email       *string  `json:"email"`
	Phone       string   `json:"phone"`
	Password    *string  `json:"password"`
	Nonce       string   `json:"nonce"`
	Data        metadata `json:"data"`
	AppMetadata metadata `json:"app_metadata"`
	challenge
}

// updateUser changes the password, the e-mail address or the metadata of the signed-in
// user. A new password ends the other sessions and invalidates earlier links. A new address
// counts once both addresses are confirmed, but it makes an anonymous account permanent
// immediately.
func (c *core) updateUser(r *request) (int, any, error) {
	var sent update
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if err := c.attempt(r, toChange, ""); err != nil {
		return 0, nil, err
	}
	u := r.session.user
	switch {
	case sent.Phone != "":
		return 0, nil, problemNoPhone
	case sent.AppMetadata != nil:
		return 0, nil, &problem{http.StatusForbidden, "not_admin", "Updating app_metadata requires admin privileges"}
	}
	email, redirect, kept, err := r.newAddress(sent)
	if err != nil {
		return 0, nil, err
	}
	if u.isAnonymous && sent.Password != nil && email == "" {
		return 0, nil, invalid("validation_failed", "Updating password of an anonymous user without an email or phone is not allowed")
	}
	hash := u.passwordHash
	if sent.Password != nil {
		if hash, err = c.otherPassword(*sent.Password, u.passwordHash); err != nil {
			return 0, nil, err
		}
	}
	var changed *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		now, err := t.get(ctx, u.ID)
		if err != nil {
			return err
		}
		if sent.Password != nil {
			if err := t.allowPassword(ctx, r.session, sent.Nonce); err != nil {
				return err
			}
			if now, err = t.setPassword(ctx, now, hash, r.session, "others"); err != nil {
				return err
			}
		}
		if now, err = t.set(ctx, u.ID, "user_metadata = $2", now.metadata.with(sent.Data)); err != nil {
			return err
		}
		switch {
		case email == "" || email == now.Email:
		case now.isAnonymous:
			now, err = t.setEmail(ctx, now, email)
		default:
			now, err = c.sendChange(ctx, t, now, email, redirect, kept)
		}
		changed = now
		return err
	})
	return http.StatusOK, changed, err
}

// newAddress returns the requested address, if it differs from the current one, with the
// target of the confirmation links and the stored form of the challenge.
func (r *request) newAddress(sent update) (email, redirect, kept string, err error) {
	if sent.Email == nil {
		return "", "", "", nil
	}
	if email, err = normalEmail(*sent.Email); err != nil {
		return "", "", "", err
	}
	u := r.session.user
	if email == u.Email {
		return "", "", "", nil
	}
	// An anonymous account gets no mail.
	if u.isAnonymous {
		return email, "", "", nil
	}
	if kept, err = sent.kept(); err != nil {
		return "", "", "", err
	}
	redirect, err = redirectTarget(r.settings, r.redirectTo())
	return email, redirect, kept, err
}

// otherPassword hashes a new password, which must differ from the previous one.
func (c *core) otherPassword(password, before string) (string, error) {
	hash, err := c.newPassword(password)
	if err == nil && before != "" && passwordFits(password, before) {
		return "", invalid("same_password", "New password should be different from the old password.")
	}
	return hash, err
}

// allowPassword returns an error unless the session may change the password. A young
// session may, and so may one that sends the code of a mail. If a code is sent, it must be
// right.
func (t *task) allowPassword(ctx context.Context, of session, nonce string) error {
	if nonce == "" {
		if time.Since(of.began) > trusted {
			return refused("reauthentication_needed", "Password update requires reauthentication")
		}
		return nil
	}
	used, err := t.useCode(ctx, of.user.Email, nonce, []kind{reauthentication})
	if errors.Is(err, problemLink) || err == nil && used.user.ID != of.user.ID {
		return invalid("reauthentication_not_valid", "Nonce has expired or is invalid")
	}
	return err
}

// setPassword changes a password, ends the sessions of a scope, and invalidates every
// earlier link.
func (t *task) setPassword(ctx context.Context, u *user, hash string, of session, scope string) (*user, error) {
	changed, err := t.set(ctx, u.ID, "encrypted_password = $2", hash)
	if err != nil {
		return nil, err
	}
	if err := t.endMails(ctx, u); err != nil {
		return nil, err
	}
	return changed, endSessions(ctx, t, of, scope)
}

// setEmail changes an address that counts as confirmed. It makes an anonymous account
// permanent, and invalidates every earlier link.
func (t *task) setEmail(ctx context.Context, u *user, email string) (*user, error) {
	if err := t.endMails(ctx, u); err != nil {
		return nil, err
	}
	return t.set(ctx, u.ID, "email = $2, email_confirmed_at = coalesce(email_confirmed_at, now()), is_anonymous = false, "+
		"new_email = '', email_change_half_done = false, app_metadata = $3",
		email, u.appMetadata.with(metadata{"provider": "email", "providers": []string{"email"}}))
}

// sendChange sends a link to the account's current address and one to the new address. Both
// must be followed.
func (c *core) sendChange(ctx context.Context, t *task, u *user, email, redirect, kept string) (*user, error) {
	if other, err := t.find(ctx, email); err != nil || other != nil {
		if err == nil {
			err = problemEmailExists
		}
		return nil, err
	}
	u, err := t.set(ctx, u.ID, "new_email = $2, email_change_half_done = false", email)
	if err != nil {
		return nil, err
	}
	if u.Email != "" {
		if u, err = c.send(ctx, t, u, "auth_link_sent", message{changeCurrent, "email_change", u.Email, redirect, kept}); err != nil {
			return nil, err
		}
	}
	return c.send(ctx, t, u, "auth_link_sent", message{changeNew, "email_change", email, redirect, kept})
}

// provedChange counts one confirmed half of a change of address. The address changes with
// the second half.
func (t *task) provedChange(ctx context.Context, u *user) (*user, error) {
	if u.Email != "" && !u.changeHalfDone {
		_, err := t.set(ctx, u.ID, "email_change_half_done = true")
		return nil, err
	}
	return t.setEmail(ctx, u, u.newEmail)
}
