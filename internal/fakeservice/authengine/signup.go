package authengine

import (
	"context"
	"errors"
	"net/http"
)

// credentials is the body of sign-ups and sign-ins.
type credentials struct {
	Email    string   `json:"email"`
	Phone    string   `json:"phone"`
	Password string   `json:"password"`
	Data     metadata `json:"data"`
}

// signUp creates an account and signs it in. Without an e-mail address, the account is
// anonymous. The answer cannot hide whether an account exists already: there is no
// confirmation by mail, so it must say whether the sign-up succeeded.
func (c *core) signUp(r *request) (int, any, error) {
	var sent credentials
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if err := c.attempt(r, toSignIn, ""); err != nil {
		return 0, nil, err
	}
	wanted := newUser{metadata: sent.Data}
	method := methodAnonymous
	switch {
	case sent.Phone != "":
		return 0, nil, problemNoPhone
	case sent.Email != "":
		var err error
		if wanted.email, err = normalEmail(sent.Email); err != nil {
			return 0, nil, err
		}
		if wanted.hash, err = c.newPassword(sent.Password); err != nil {
			return 0, nil, err
		}
		wanted.confirmed = true
		method = methodPassword
	}
	var made *signIn
	err := c.commit(r, func(ctx context.Context, t *task) error {
		u, err := t.create(ctx, wanted)
		if errors.Is(err, problemEmailExists) {
			return problemExists
		}
		if err != nil {
			return err
		}
		t.tell("auth_user_created", u)
		made, err = c.begin(ctx, t, u, method)
		return err
	})
	return http.StatusOK, made, err
}
