package authengine

import (
	"context"
	"net/http"
	"regexp"
	"time"
)

// attributes are the properties of an account that a caller with the service key can set.
type attributes struct {
	ID           string   `json:"id"`
	Email        string   `json:"email"`
	Phone        string   `json:"phone"`
	Password     *string  `json:"password"`
	EmailConfirm bool     `json:"email_confirm"`
	UserMetadata metadata `json:"user_metadata"`
	AppMetadata  metadata `json:"app_metadata"`
	Role         string   `json:"role"`
	// BanDuration is a duration such as 24h, or "none" to end a ban.
	BanDuration string `json:"ban_duration"`

	hash string
	ban  time.Duration
}

var uuidText = regexp.MustCompile(`^(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// attributes reads the attributes from a request and validates them.
func (c *core) attributes(r *request) (attributes, error) {
	var a attributes
	if err := r.decode(&a); err != nil {
		return attributes{}, err
	}
	var err error
	if a.Phone != "" {
		return attributes{}, problemNoPhone
	}
	if a.ID != "" && !uuidText.MatchString(a.ID) {
		return attributes{}, refused("validation_failed", "ID must conform to the uuid v4 format")
	}
	if a.Email != "" {
		if a.Email, err = normalEmail(a.Email); err != nil {
			return attributes{}, err
		}
	}
	if a.BanDuration != "" && a.BanDuration != "none" {
		if a.ban, err = time.ParseDuration(a.BanDuration); err != nil {
			return attributes{}, refused("validation_failed", "invalid format for ban duration: "+err.Error())
		}
	}
	if a.Password != nil && *a.Password != "" {
		a.hash, err = c.newPassword(*a.Password)
	}
	return a, err
}

// createUser creates an account on behalf of its user. A user without a password signs in
// by mail.
func (c *core) createUser(r *request) (int, any, error) {
	a, err := c.attributes(r)
	if err != nil {
		return 0, nil, err
	}
	if a.Email == "" {
		return 0, nil, refused("validation_failed", "Cannot create a user without either an email or phone")
	}
	var made *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		made, err = t.create(ctx, newUser{
			id: a.ID, email: a.Email, hash: a.hash, role: a.Role,
			metadata: a.UserMetadata, appMetadata: a.AppMetadata, confirmed: a.EmailConfirm,
		})
		if err != nil {
			return err
		}
		t.tell("auth_user_created", made)
		made, err = t.ban(ctx, made, a)
		return err
	})
	return http.StatusOK, made, err
}

// updateUserByID changes another user's account. A new password ends that user's sessions.
func (c *core) updateUserByID(r *request) (int, any, error) {
	a, err := c.attributes(r)
	if err != nil {
		return 0, nil, err
	}
	if a.Password != nil && a.hash == "" {
		if _, err := c.newPassword(*a.Password); err != nil {
			return 0, nil, err
		}
	}
	var changed *user
	err = c.commit(r, func(ctx context.Context, t *task) error {
		u, err := t.get(ctx, r.PathValue("id"))
		if err != nil {
			return err
		}
		if a.hash != "" {
			if u, err = t.setPassword(ctx, u, a.hash, session{user: u}, "global"); err != nil {
				return err
			}
		}
		if a.Email != "" && a.Email != u.Email {
			// An administrator's change of an address does not confirm it.
			confirmed := u.isConfirmed() || a.EmailConfirm
			if u, err = t.setEmail(ctx, u, a.Email); err == nil && !confirmed {
				u, err = t.set(ctx, u.ID, "email_confirmed_at = NULL")
			}
			if err != nil {
				return err
			}
		}
		if u, err = t.set(ctx, u.ID, "user_metadata = $2, app_metadata = $3, role = coalesce(nullif($4, ''), role), "+
			"email_confirmed_at = CASE WHEN $5 THEN coalesce(email_confirmed_at, now()) ELSE email_confirmed_at END",
			u.metadata.with(a.UserMetadata), u.appMetadata.with(a.AppMetadata), a.Role, a.EmailConfirm); err != nil {
			return err
		}
		changed, err = t.ban(ctx, u, a)
		return err
	})
	return http.StatusOK, changed, err
}

// ban starts or ends a ban, as the attributes say. During a ban, the account cannot sign
// in, refresh or use its sessions. The sessions work again afterwards.
func (t *task) ban(ctx context.Context, u *user, a attributes) (*user, error) {
	if a.BanDuration == "" {
		return u, nil
	}
	was := u.isBanned()
	var until *time.Time
	if a.ban != 0 {
		end := time.Now().Add(a.ban)
		until = &end
	}
	u, err := t.set(ctx, u.ID, "banned_until = $2", until)
	switch {
	case err != nil:
		return nil, err
	case u.isBanned():
		t.tell("auth_user_banned", u)
	case was:
		t.tell("auth_user_unbanned", u)
	}
	return u, nil
}
