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

// user is an account as stored in the database.
type user struct {
	ID string
	// Email is empty for an anonymous account, and passwordHash for an account without a
	// password.
	Email, passwordHash string
	role                string
	metadata            metadata
	appMetadata         metadata
	identityID          string
	isAnonymous         bool
	newEmail            string
	changeHalfDone      bool

	confirmedAt, invitedAt                                                *time.Time
	confirmationSentAt, recoverySentAt, reauthenticationSentAt, changedAt *time.Time
	createdAt, updatedAt                                                  time.Time
	lastSignInAt, bannedUntil, deletedAt                                  *time.Time
}

// userColumns lists the columns that fields scans, in the same order.
const userColumns = "u.id, coalesce(u.email, ''), u.encrypted_password, u.role, u.user_metadata, u.app_metadata, u.identity_id, u.is_anonymous, " +
	"u.new_email, u.email_change_half_done, u.email_confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, " +
	"u.reauthentication_sent_at, u.email_change_sent_at, u.created_at, u.updated_at, u.last_sign_in_at, u.banned_until, u.deleted_at"

func (u *user) fields() []any {
	return []any{
		&u.ID, &u.Email, &u.passwordHash, &u.role, &u.metadata, &u.appMetadata, &u.identityID, &u.isAnonymous,
		&u.newEmail, &u.changeHalfDone, &u.confirmedAt, &u.invitedAt, &u.confirmationSentAt, &u.recoverySentAt,
		&u.reauthenticationSentAt, &u.changedAt, &u.createdAt, &u.updatedAt, &u.lastSignInAt, &u.bannedUntil, &u.deletedAt,
	}
}

func scanUser(row pgx.Row) (*user, error) {
	u := &user{}
	err := row.Scan(u.fields()...)
	return u, err
}

func (u *user) isConfirmed() bool { return u.confirmedAt != nil }

// isBanned reports whether the account is banned now. A ban ends by itself.
func (u *user) isBanned() bool { return u.bannedUntil != nil && time.Now().Before(*u.bannedUntil) }

// record returns the account as callers see it. Unset times are left out.
func (u *user) record() map[string]any {
	record := map[string]any{
		"id": u.ID, "aud": audience, "role": u.role, "email": u.Email, "phone": "",
		"app_metadata": u.appMetadata, "user_metadata": u.metadata, "identities": u.identities(),
		"is_anonymous": u.isAnonymous, "created_at": u.createdAt, "updated_at": u.updatedAt,
	}
	if u.newEmail != "" {
		record["new_email"] = u.newEmail
	}
	for name, at := range map[string]*time.Time{
		"email_confirmed_at": u.confirmedAt, "confirmed_at": u.confirmedAt, "invited_at": u.invitedAt,
		"confirmation_sent_at": u.confirmationSentAt, "recovery_sent_at": u.recoverySentAt,
		"reauthentication_sent_at": u.reauthenticationSentAt, "email_change_sent_at": u.changedAt,
		"last_sign_in_at": u.lastSignInAt, "banned_until": u.bannedUntil, "deleted_at": u.deletedAt,
	} {
		if at != nil {
			record[name] = at
		}
	}
	return record
}

// identities returns the ways to identify the account: its e-mail address, or none.
func (u *user) identities() []any {
	if u.Email == "" || u.deletedAt != nil {
		return []any{}
	}
	return []any{map[string]any{
		"identity_id": u.identityID, "id": u.ID, "user_id": u.ID, "provider": "email", "email": u.Email,
		"identity_data": map[string]any{
			"sub": u.ID, "email": u.Email, "email_verified": u.isConfirmed(), "phone_verified": false,
		},
		"last_sign_in_at": u.lastSignInAt, "created_at": u.createdAt, "updated_at": u.updatedAt,
	}}
}

// MarshalJSON encodes the record.
func (u *user) MarshalJSON() ([]byte, error) { return json.Marshal(u.record()) }

// newUser describes an account to create. Email is empty for an anonymous account; if id is
// empty, it is generated.
type newUser struct {
	id, email, hash, role string
	metadata, appMetadata metadata
	confirmed             bool
}

// create creates an account. It returns an error if the address or the id is taken.
func (t *task) create(ctx context.Context, n newUser) (*user, error) {
	known := metadata{}
	if n.email != "" {
		known = metadata{"provider": "email", "providers": []string{"email"}}
	}
	u, err := scanUser(t.QueryRow(ctx, "INSERT INTO auth.users AS u (id, email, encrypted_password, role, user_metadata, app_metadata, is_anonymous, email_confirmed_at) "+
		"VALUES (coalesce(nullif($1, '')::uuid, gen_random_uuid()), nullif($2, ''), $3, coalesce(nullif($4, ''), 'authenticated'), $5, $6, $2 = '', CASE WHEN $7 THEN now() END) "+
		"ON CONFLICT DO NOTHING RETURNING "+userColumns,
		n.id, n.email, n.hash, n.role, metadata{}.with(n.metadata), known.with(n.appMetadata), n.confirmed))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, problemEmailExists
	}
	return u, err
}

// set changes columns of an account, written in SQL with arguments from $2 on, and returns
// the changed account.
func (t *task) set(ctx context.Context, id, columns string, arguments ...any) (*user, error) {
	u, err := scanUser(t.QueryRow(ctx, "UPDATE auth.users AS u SET "+columns+", updated_at = now() WHERE id = $1 RETURNING "+userColumns,
		append([]any{id}, arguments...)...))
	if isDuplicate(err) {
		return nil, problemEmailExists
	}
	return u, orNoUser(err)
}

// find returns an account by its e-mail address, or nil.
func (t *task) find(ctx context.Context, email string) (*user, error) {
	u, err := scanUser(t.QueryRow(ctx, "SELECT "+userColumns+" FROM auth.users AS u WHERE email = $1 FOR UPDATE", email))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return u, err
}

// get returns an account by its id, which may be any text, and locks it against concurrent
// changes.
func (t *task) get(ctx context.Context, id string) (*user, error) {
	u, err := scanUser(t.QueryRow(ctx, "SELECT "+userColumns+" FROM auth.users AS u WHERE id::text = lower($1) FOR UPDATE", id))
	return u, orNoUser(err)
}

func isDuplicate(err error) bool {
	refused := (*pgconn.PgError)(nil)
	return errors.As(err, &refused) && refused.Code == "23505"
}

// orNoUser turns a missing row into the error for the caller.
func orNoUser(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return problemNoUser
	}
	return err
}

func (c *core) getUser(r *request) (int, any, error) { return http.StatusOK, r.session.user, nil }
