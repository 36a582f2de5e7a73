package authengine

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// mailLife is the lifetime of the link and the code of a mail.
const mailLife = time.Hour

// kind is the purpose of a mail's token. A newer token of the same kind invalidates the
// older one.
type kind string

const (
	// confirmation proves an address that is not confirmed yet, of an invited account or of
	// one that an administrator created.
	confirmation kind = "confirmation"
	// recovery signs in without a password.
	recovery kind = "recovery"
	// changeCurrent and changeNew are the two halves of a change of address.
	changeCurrent kind = "email_change_current"
	changeNew     kind = "email_change_new"
	// reauthentication allows a change of password in an old session.
	reauthentication kind = "reauthentication"
)

// kindsOf returns the kinds of tokens that a verification type accepts, or nil for an
// unknown type.
func kindsOf(verification string) []kind {
	switch verification {
	case "signup", "invite":
		return []kind{confirmation}
	case "recovery", "magiclink":
		return []kind{recovery}
	case "email":
		return []kind{confirmation, recovery}
	case "email_change":
		return []kind{changeCurrent, changeNew}
	}
	return nil
}

func (k kind) text() string { return string(k) }

// sentAt is the column with the time of the latest mail of a kind.
func (k kind) sentAt() string {
	switch k {
	case recovery:
		return "recovery_sent_at"
	case changeCurrent, changeNew:
		return "email_change_sent_at"
	case reauthentication:
		return "reauthentication_sent_at"
	case confirmation:
	}
	return "confirmation_sent_at"
}

// message is a mail to send, or to return to an administrator who sends it.
type message struct {
	kind kind
	// verification is the type of the link.
	verification string
	// to is the address that the message proves, and redirect is the target of the link.
	to, redirect string
	// challenge belongs to the browser that asked for the message. If it is empty, any
	// browser can use the link.
	challenge string
}

// letter is a message with its secrets: a link with a token, and a code. Either works,
// once.
type letter struct {
	message
	token, code, link string
}

// write creates the secrets of a mail, and returns the account in its new state.
func (c *core) write(ctx context.Context, t *task, u *user, m message) (letter, *user, error) {
	if _, err := t.Exec(ctx, "DELETE FROM auth.one_time_tokens WHERE created_at <= now() - make_interval(secs => $1) OR (user_id = $2 AND kind = $3)",
		mailLife.Seconds(), u.ID, m.kind); err != nil {
		return letter{}, nil, err
	}
	l := letter{message: m, code: newCode()}
	var hash []byte
	l.token, hash = newToken()
	if _, err := t.Exec(ctx, "INSERT INTO auth.one_time_tokens (hash, code_hash, user_id, kind, sent_to, code_challenge) VALUES ($1, $2, $3, $4, $5, $6)",
		hash, hashCode(t.settings, m.to, l.code), u.ID, m.kind, m.to, m.challenge); err != nil {
		return letter{}, nil, err
	}
	if m.verification != "" {
		query := url.Values{"token": {l.token}, "type": {m.verification}, "redirect_to": {m.redirect}}
		l.link = c.engine.URL() + "/verify?" + query.Encode()
	}
	written, err := t.set(ctx, u.ID, m.kind.sentAt()+" = now()")
	return l, written, err
}

// send writes a mail and queues the Event that delivers it. event is the Kind, which is
// empty if only the mail is reported.
func (c *core) send(ctx context.Context, t *task, u *user, event string, m message) (*user, error) {
	l, written, err := c.write(ctx, t, u, m)
	if err == nil {
		t.told = append(t.told, Event{Kind: event, UserID: u.ID, Email: l.to, Link: l.link, Code: l.code})
	}
	return written, err
}

// used describes a valid token or code that was just used.
type used struct {
	user      *user
	kind      kind
	challenge string
}

// useToken uses up the token of a link, if it has one of the kinds.
func (t *task) useToken(ctx context.Context, token string, kinds []kind) (used, error) {
	return t.use(ctx, "hash = $1", hashToken(token), kinds)
}

// useCode uses up a code that was sent to an address.
func (t *task) useCode(ctx context.Context, email, code string, kinds []kind) (used, error) {
	return t.use(ctx, "code_hash = $1", hashCode(t.settings, email, code), kinds)
}

func (t *task) use(ctx context.Context, condition string, hash []byte, kinds []kind) (used, error) {
	of := used{user: &user{}}
	err := t.QueryRow(ctx, "WITH used AS (DELETE FROM auth.one_time_tokens WHERE "+condition+" AND kind = ANY($2) RETURNING *) "+
		"SELECT used.kind, used.code_challenge, "+userColumns+" FROM used JOIN auth.users AS u ON u.id = used.user_id "+
		"WHERE used.created_at > now() - make_interval(secs => $3)", hash, kinds, mailLife.Seconds()).
		Scan(append([]any{&of.kind, &of.challenge}, of.user.fields()...)...)
	if errors.Is(err, pgx.ErrNoRows) {
		return used{}, problemLink
	}
	if err == nil && of.user.isBanned() {
		return used{}, problemBannedNow
	}
	return of, err
}

// endMails invalidates every link and code of an account.
func (t *task) endMails(ctx context.Context, u *user) error {
	_, err := t.Exec(ctx, "DELETE FROM auth.one_time_tokens WHERE user_id = $1", u.ID)
	return err
}
