package authengine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// user is an account as the database has it.
type user struct {
	ID, Email    string
	passwordHash string
	metadata     json.RawMessage
	createdAt    time.Time
	updatedAt    time.Time
	lastSignInAt *time.Time
}

// userColumns are what scanUser reads.
const userColumns = "u.id, u.email, u.encrypted_password, u.user_metadata, u.created_at, u.updated_at, u.last_sign_in_at"

func scanUser(row pgx.Row) (*user, error) {
	u := &user{}
	err := row.Scan(&u.ID, &u.Email, &u.passwordHash, &u.metadata, &u.createdAt, &u.updatedAt, &u.lastSignInAt)
	return u, err
}

// MarshalJSON is the account as callers see it. There is no confirmation by
// mail: an e-mail address counts as confirmed from the beginning.
func (u *user) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"id": u.ID, "aud": "authenticated", "role": "authenticated", "email": u.Email, "phone": "",
		"email_confirmed_at": u.createdAt, "confirmed_at": u.createdAt, "last_sign_in_at": u.lastSignInAt,
		"app_metadata":  map[string]any{"provider": "email", "providers": []string{"email"}},
		"user_metadata": u.metadata,
		"identities":    []any{}, "is_anonymous": false,
		"created_at": u.createdAt, "updated_at": u.updatedAt,
	})
}

// credentials is what sign-ups and sign-ins send.
type credentials struct {
	Email    string          `json:"email"`
	Password string          `json:"password"`
	Data     json.RawMessage `json:"data"`
}

// signUp makes an account and signs it in. That an account exists cannot be
// hidden here: without a confirmation by mail, the answer has to tell whether
// there is one now.
func (c *core) signUp(r *request) (int, any, error) {
	var sent credentials
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if err := c.limits.take("from " + r.caller()); err != nil {
		return 0, nil, err
	}
	email, err := normalEmail(sent.Email)
	if err != nil {
		return 0, nil, err
	}
	hash, err := c.newPassword(sent.Password)
	if err != nil {
		return 0, nil, err
	}
	metadata, err := objectOf(sent.Data)
	if err != nil {
		return 0, nil, err
	}
	var made *signIn
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		u, err := scanUser(tx.QueryRow(r.Context(), "INSERT INTO auth.users AS u (email, encrypted_password, user_metadata) VALUES ($1, $2, $3) "+
			"ON CONFLICT (email) DO NOTHING RETURNING "+userColumns, email, hash, metadata))
		if errors.Is(err, pgx.ErrNoRows) {
			return problemExists
		}
		if err != nil {
			return err
		}
		made, err = c.begin(r.Context(), tx, r.settings, u)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	c.engine.options.Notify(Event{Kind: "auth_user_created", UserID: made.user.ID, Email: made.user.Email})
	return http.StatusOK, made, nil
}

// objectOf is metadata that a caller may choose: a JSON object, or nothing.
func objectOf(data json.RawMessage) (json.RawMessage, error) {
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage("{}"), nil
	}
	var object map[string]any
	if json.Unmarshal(data, &object) != nil {
		return nil, invalid("validation_failed", "data must be an object.")
	}
	return data, nil
}

func (c *core) getUser(r *request) (int, any, error) { return http.StatusOK, r.session.user, nil }

// updateUser changes the password, the e-mail address or the metadata of who is
// signed in. Another password ends the other sessions, and another password or
// address ends the links that were sent before.
func (c *core) updateUser(r *request) (int, any, error) {
	var sent struct {
		Email    *string         `json:"email"`
		Password *string         `json:"password"`
		Data     json.RawMessage `json:"data"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if err := c.limits.take("from " + r.caller()); err != nil {
		return 0, nil, err
	}
	email, hash := r.session.user.Email, r.session.user.passwordHash
	var err error
	if sent.Email != nil {
		if email, err = normalEmail(*sent.Email); err != nil {
			return 0, nil, err
		}
	}
	if sent.Password != nil {
		if hash, err = c.newPassword(*sent.Password); err != nil {
			return 0, nil, err
		}
	}
	data, err := objectOf(sent.Data)
	if err != nil {
		return 0, nil, err
	}
	var changed *user
	err = c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		changed, err = scanUser(tx.QueryRow(r.Context(), "UPDATE auth.users AS u SET email = $2, encrypted_password = $3, "+
			"user_metadata = user_metadata || $4, updated_at = now() WHERE id = $1 RETURNING "+userColumns, r.session.user.ID, email, hash, data))
		if isDuplicate(err) {
			return invalid("email_exists", "A user with this email address has already been registered")
		}
		if err != nil || (sent.Password == nil && sent.Email == nil) {
			return err
		}
		// A link that was sent before is no way in any more.
		if _, err := tx.Exec(r.Context(), "DELETE FROM auth.one_time_tokens WHERE user_id = $1", r.session.user.ID); err != nil || sent.Password == nil {
			return err
		}
		return endSessions(r.Context(), tx, r.session, "others")
	})
	return http.StatusOK, changed, err
}

func isDuplicate(err error) bool {
	refused := (*pgconn.PgError)(nil)
	return errors.As(err, &refused) && refused.Code == "23505"
}

// findUser returns an account by its e-mail address, or nil.
func findUser(ctx context.Context, tx pgx.Tx, email string) (*user, error) {
	u, err := scanUser(tx.QueryRow(ctx, "SELECT "+userColumns+" FROM auth.users AS u WHERE email = $1", email))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return u, err
}

// orNoUser turns the absence of a row into what a caller is told.
func orNoUser(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return problemNoUser
	}
	return err
}
