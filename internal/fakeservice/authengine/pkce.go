package authengine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// flowLife is the time within which a followed link can be exchanged for a session.
const flowLife = 5 * time.Minute

// challenge lets only the browser that asked for a link get its session. The browser sends
// a hash with the request, and the hashed text when it fetches the session.
type challenge struct {
	Challenge string `json:"code_challenge"`
	Method    string `json:"code_challenge_method"`
}

var challengeText = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// kept returns the challenge with its method in the form stored in the database; it is
// empty if there is no challenge.
func (c challenge) kept() (string, error) {
	if c.Challenge == "" && c.Method == "" {
		return "", nil
	}
	method := strings.ToLower(c.Method)
	if method != "s256" && method != "plain" {
		return "", refused("validation_failed", "code_challenge_method must be s256 or plain.")
	}
	if !challengeText.MatchString(c.Challenge) {
		return "", refused("validation_failed", "code_challenge is not valid.")
	}
	return method + ":" + c.Challenge, nil
}

// answers reports whether a verifier matches a stored challenge.
func answers(kept, verifier string) bool {
	method, want, _ := strings.Cut(kept, ":")
	if method == "s256" {
		sum := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return sameSecret(verifier, want)
}

// beginFlow stores a pending session, and returns the code that fetches it.
func (t *task) beginFlow(ctx context.Context, u *user, method, kept string) (string, error) {
	if _, err := t.Exec(ctx, "DELETE FROM auth.flow_states WHERE created_at <= now() - make_interval(secs => $1)", flowLife.Seconds()); err != nil {
		return "", err
	}
	code, hash := newToken()
	_, err := t.Exec(ctx, "INSERT INTO auth.flow_states (code_hash, user_id, method, code_challenge) VALUES ($1, $2, $3, $4)", hash, u.ID, method, kept)
	return code, err
}

// pkceGrant returns the session to the browser that asked for the link.
func (c *core) pkceGrant(r *request) (int, any, error) {
	var sent struct {
		Code     string `json:"auth_code"`
		Verifier string `json:"code_verifier"`
	}
	if err := r.decode(&sent); err != nil {
		return 0, nil, err
	}
	if sent.Code == "" || sent.Verifier == "" {
		return 0, nil, refused("validation_failed", "invalid request: both auth code and code verifier should be non-empty")
	}
	if err := c.attempt(r, toRefresh, ""); err != nil {
		return 0, nil, err
	}
	var made *signIn
	err := c.commit(r, func(ctx context.Context, t *task) error {
		u := &user{}
		var method, kept string
		err := t.QueryRow(ctx, "WITH used AS (DELETE FROM auth.flow_states WHERE code_hash = $1 RETURNING *) "+
			"SELECT used.method, used.code_challenge, "+userColumns+" FROM used JOIN auth.users AS u ON u.id = used.user_id "+
			"WHERE used.created_at > now() - make_interval(secs => $2)", hashToken(sent.Code), flowLife.Seconds()).
			Scan(append([]any{&method, &kept}, u.fields()...)...)
		if errors.Is(err, pgx.ErrNoRows) {
			return &problem{http.StatusNotFound, "flow_state_not_found", "invalid flow state, no valid flow state found"}
		}
		if err != nil {
			return err
		}
		if !answers(kept, sent.Verifier) {
			return refused("bad_code_verifier", "code challenge does not match previously saved code verifier")
		}
		made, err = c.begin(ctx, t, u, method)
		return err
	})
	return http.StatusOK, made, err
}
