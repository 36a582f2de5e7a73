package authengine

import (
	"context"
	"net/http"
)

// mailRequest is what requests for a mail send.
type mailRequest struct {
	Email      string   `json:"email"`
	Phone      string   `json:"phone"`
	Type       string   `json:"type"`
	Data       metadata `json:"data"`
	CreateUser *bool    `json:"create_user"`
	challenge
}

// asked is a request for a mail that may be made.
type asked struct {
	mailRequest
	// redirect is where the link leads to, and kept the challenge.
	redirect, kept string
}

// askForMail reads a request for a mail.
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

// recover sends a link that signs the owner of an e-mail address in, to choose
// another password. The answer is the same whether there is an account or not.
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

// otp sends a link and a code that sign in without a password. It makes the
// account where there is none, unless the caller does not want that.
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

// resend sends once more what an account waits for. Whether it waits, or is
// there at all, the answer does not tell.
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

// reauthenticate sends a code to who is signed in, which shows that they still
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
