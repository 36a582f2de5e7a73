package authengine

import (
	"context"
	"net/http"
)

// mailRequest is the body of a request for a mail.
type mailRequest struct {
	Email      string   `json:"email"`
	Phone      string   `json:"phone"`
	Type       string   `json:"type"`
	Data       metadata `json:"data"`
	CreateUser *bool    `json:"create_user"`
	challenge
}

// asked is a validated request for a mail.
type asked struct {
	mailRequest
	// redirect is the target of the link, and kept is the challenge in its stored form.
	redirect, kept string
}

// askForMail reads and validates a request for a mail.
func (c *core) askForMail(r *request) (asked, error) {
	var a asked
	if err := r.decode(&a.mailRequest); err != nil {
		return asked{}, err
	}
	if a.Phone != "" {
		return asked{}, problemNoPhone
	}
	var err error
	if a.Email, err = normalEmail(a.Email); err != nil {
		return asked{}, err
	}
	if err = c.attempt(r, toMail, a.Email); err != nil {
		return asked{}, err
	}
	if a.kept, err = a.challenge.kept(); err != nil {
		return asked{}, err
	}
	a.redirect, err = redirectTarget(r.settings, r.redirectTo())
	return a, err
}

// recover sends a link that signs in the owner of an e-mail address, to choose a new
// password. The answer does not reveal whether the account exists.
func (c *core) recover(r *request) (int, any, error) {
	asked, err := c.askForMail(r)
	if err != nil {
		return 0, nil, err
	}
	err = c.commit(r, func(ctx context.Context, t *task) error {
		known, err := t.find(ctx, asked.Email)
		if err != nil || known == nil {
			return err
		}
		_, err = c.send(ctx, t, known, "auth_link_sent", message{recovery, "recovery", asked.Email, asked.redirect, asked.kept})
		return err
	})
	return http.StatusOK, map[string]any{}, err
}

// otp sends a link and a code that sign in without a password. It creates a missing
// account, unless the caller forbids that.
func (c *core) otp(r *request) (int, any, error) {
	asked, err := c.askForMail(r)
	if err != nil {
		return 0, nil, err
	}
	err = c.commit(r, func(ctx context.Context, t *task) error {
		known, err := t.find(ctx, asked.Email)
		if err != nil {
			return err
		}
		if known == nil {
			if asked.CreateUser != nil && !*asked.CreateUser {
				return invalid("otp_disabled", "Signups not allowed for otp")
			}
			if known, err = t.create(ctx, newUser{email: asked.Email, metadata: asked.Data, confirmed: true}); err != nil {
				return err
			}
			t.tell("auth_user_created", known)
		}
		_, err = c.send(ctx, t, known, "auth_link_sent", message{recovery, "magiclink", asked.Email, asked.redirect, asked.kept})
		return err
	})
	return http.StatusOK, map[string]any{}, err
}

// resend repeats the mail that an account waits for. The answer does not reveal whether the
// account exists or waits for a mail.
func (c *core) resend(r *request) (int, any, error) {
	asked, err := c.askForMail(r)
	if err != nil {
		return 0, nil, err
	}
	if asked.Type != "signup" && asked.Type != "email_change" {
		return 0, nil, refused("validation_failed", "Missing one of these types: signup, email_change, sms, phone_change")
	}
	err = c.commit(r, func(ctx context.Context, t *task) error {
		known, err := t.find(ctx, asked.Email)
		switch {
		case err != nil || known == nil:
			return err
		case asked.Type == "signup" && !known.isConfirmed():
			_, err = c.send(ctx, t, known, "auth_link_sent", message{confirmation, "signup", asked.Email, asked.redirect, asked.kept})
		case asked.Type == "email_change" && known.newEmail != "":
			_, err = c.sendChange(ctx, t, known, known.newEmail, asked.redirect, asked.kept)
		}
		return err
	})
	return http.StatusOK, map[string]any{}, err
}

// reauthenticate sends a code to the signed-in user, who proves with it that they still
// read their mail.
func (c *core) reauthenticate(r *request) (int, any, error) {
	u := r.session.user
	if u.Email == "" {
		return 0, nil, invalid("validation_failed", "Reauthentication requires the user to have an email or a phone number")
	}
	if !u.isConfirmed() {
		return 0, nil, invalid("email_not_confirmed", "Please verify your email first.")
	}
	if err := c.attempt(r, toMail, u.Email); err != nil {
		return 0, nil, err
	}
	err := c.commit(r, func(ctx context.Context, t *task) error {
		_, err := c.send(ctx, t, u, "", message{kind: reauthentication, to: u.Email})
		return err
	})
	return http.StatusOK, map[string]any{}, err
}
