package authengine

import (
	"context"
	"net/http"
)

// invite creates an account for an e-mail address and sends it a link. An unconfirmed
// account is invited again.
func (c *core) invite(r *request) (int, any, error) {
	var sent struct {
		Email string   `json:"email"`
		Data  metadata `json:"data"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	email, err := normalEmail(sent.Email)
	if err != nil {
		return 0, nil, err
	}
	redirect, err := redirectTarget(r.settings, r.redirectTo())
	if err != nil {
		return 0, nil, err
	}
	var invited *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		u, err := t.invited(ctx, email, sent.Data)
		if err == nil {
			invited, err = c.send(ctx, t, u, "auth_user_invited", message{kind: confirmation, verification: "invite", to: email, redirect: redirect})
		}
		return err
	})
	return http.StatusOK, invited, err
}

// invited returns the account of an invited user, and creates it if it does not exist.
func (t *task) invited(ctx context.Context, email string, data metadata) (*user, error) {
	u, err := t.find(ctx, email)
	switch {
	case err != nil:
		return nil, err
	case u == nil:
		if u, err = t.create(ctx, newUser{email: email, metadata: data}); err != nil {
			return nil, err
		}
	case u.isConfirmed():
		return nil, problemEmailExists
	}
	return t.set(ctx, u.ID, "invited_at = now()")
}

// linkRequest asks for a link that the caller, who has the service key, will send.
type linkRequest struct {
	Type       string   `json:"type"`
	Email      string   `json:"email"`
	NewEmail   string   `json:"new_email"`
	Password   string   `json:"password"`
	Data       metadata `json:"data"`
	RedirectTo string   `json:"redirect_to"`

	hash string
}

// generateLink creates a link and its code, and returns them to the caller instead of
// sending them. It creates the account if the link is for a new one.
func (c *core) generateLink(r *request) (int, any, error) {
	var sent linkRequest
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	var err error
	if sent.Email, err = normalEmail(sent.Email); err != nil {
		return 0, nil, err
	}
	if sent.Type == changeCurrent.text() || sent.Type == changeNew.text() {
		if sent.NewEmail, err = normalEmail(sent.NewEmail); err != nil {
			return 0, nil, err
		}
	}
	wanted := r.redirectTo()
	if wanted == "" {
		wanted = sent.RedirectTo
	}
	redirect, err := redirectTarget(r.settings, wanted)
	if err != nil {
		return 0, nil, err
	}
	if sent.Password != "" {
		if sent.hash, err = c.newPassword(sent.Password); err != nil {
			return 0, nil, err
		}
	}
	var made letter
	var of *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		u, err := t.find(ctx, sent.Email)
		if err != nil {
			return err
		}
		u, m, err := t.prepare(ctx, u, sent)
		if err != nil {
			return err
		}
		m.redirect = redirect
		made, of, err = c.write(ctx, t, u, m)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	// Like real auth servers, it answers with the account and adds the members of the link.
	answer := of.record()
	answer["action_link"], answer["email_otp"], answer["hashed_token"] = made.link, made.code, made.token
	answer["verification_type"], answer["redirect_to"] = sent.Type, redirect
	if sent.Type == "magiclink" {
		answer["verification_type"] = made.verification
	}
	return http.StatusOK, answer, nil
}

// prepare returns the account that a link is for, and the link's message. The parameter u
// is nil if no account has the address yet.
func (t *task) prepare(ctx context.Context, u *user, sent linkRequest) (*user, message, error) {
	m := message{verification: sent.Type, to: sent.Email}
	var err error
	switch sent.Type {
	case "magiclink", "recovery":
		if m.kind = recovery; u != nil {
			return u, m, nil
		}
		if sent.Type == "recovery" {
			return nil, message{}, problemNoUser
		}
		// The first link of a new user is a sign-up link.
		m.kind, m.verification = confirmation, "signup"
		if u, err = t.create(ctx, newUser{email: sent.Email, metadata: sent.Data}); err == nil {
			t.tell("auth_user_created", u)
		}
	case "signup":
		m.kind = confirmation
		switch {
		case u != nil && u.isConfirmed():
			return nil, message{}, problemEmailExists
		case u != nil:
			u, err = t.set(ctx, u.ID, "user_metadata = $2", u.metadata.with(sent.Data))
		case sent.hash == "":
			return nil, message{}, refused("validation_failed", "Signup requires a valid password")
		default:
			if u, err = t.create(ctx, newUser{email: sent.Email, hash: sent.hash, metadata: sent.Data}); err == nil {
				t.tell("auth_user_created", u)
			}
		}
	case "invite":
		m.kind = confirmation
		if u, err = t.invited(ctx, sent.Email, sent.Data); err == nil {
			t.tell("auth_user_invited", u)
		}
	case changeCurrent.text(), changeNew.text():
		return t.prepareChange(ctx, u, sent)
	default:
		return nil, message{}, refused("validation_failed", "Invalid email action link type requested: "+sent.Type)
	}
	return u, m, err
}

// prepareChange starts a change of address, or continues one if its other link has been
// created before.
func (t *task) prepareChange(ctx context.Context, u *user, sent linkRequest) (*user, message, error) {
	if u == nil {
		return nil, message{}, problemNoUser
	}
	other, err := t.find(ctx, sent.NewEmail)
	if err == nil && other != nil {
		err = problemEmailExists
	}
	if err != nil {
		return nil, message{}, err
	}
	m := message{kind: kind(sent.Type), verification: "email_change", to: sent.Email}
	if m.kind == changeNew {
		m.to = sent.NewEmail
	}
	u, err = t.set(ctx, u.ID, "new_email = $2, email_change_half_done = false", sent.NewEmail)
	return u, m, err
}
