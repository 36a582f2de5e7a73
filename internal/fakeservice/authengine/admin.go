package authengine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// usersPerPage is the default number of accounts on a page, and usersPerPageMax is the
// maximum.
const (
	usersPerPage    = 50
	usersPerPageMax = 1000
)

// listUsers lists every account, newest first, page by page. It requires the service key.
func (c *core) listUsers(r *request) (int, any, error) {
	page, perPage := numberOr(r, "page", 1), numberOr(r, "per_page", usersPerPage)
	if page < 1 || perPage < 1 || perPage > usersPerPageMax {
		return 0, nil, refused("validation_failed", "page begins at 1, and per_page is from 1 to 1000.")
	}
	users, total := []*user{}, 0
	err := c.commit(r, func(ctx context.Context, t *task) error {
		if err := t.QueryRow(ctx, "SELECT count(*) FROM auth.users").Scan(&total); err != nil {
			return err
		}
		rows, err := t.Query(ctx, "SELECT "+userColumns+" FROM auth.users AS u ORDER BY created_at DESC, id LIMIT $1 OFFSET $2",
			perPage, int64(page-1)*int64(perPage))
		if err != nil {
			return err
		}
		users, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*user, error) { return scanUser(row) })
		return err
	})
	if users == nil {
		users = []*user{}
	}
	header := http.Header{"X-Total-Count": {strconv.Itoa(total)}, "Link": {pageLinks(r.URL, page, perPage, total)}}
	return http.StatusOK, withHeader{header, map[string]any{"users": users, "aud": audience}}, err
}

// pageLinks returns the addresses of the next page, if any, and of the last. Clients expect
// page to be first in the query.
func pageLinks(asked *url.URL, page, perPage, total int) string {
	last := max(1, (total+perPage-1)/perPage)
	link := func(page int, rel string) string {
		to := *asked
		query := to.Query()
		query.Del("page")
		to.RawQuery = "page=" + strconv.Itoa(page)
		if rest := query.Encode(); rest != "" {
			to.RawQuery += "&" + rest
		}
		return fmt.Sprintf("<%s>; rel=%q", to.RequestURI(), rel)
	}
	if page < last {
		return link(page+1, "next") + ", " + link(last, "last")
	}
	return link(last, "last")
}

// numberOr returns a number from the query, otherwise if it is missing, and 0 if it is not
// a number.
func numberOr(r *request, name string, otherwise int) int {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise
	}
	n, _ := strconv.Atoi(text) // 0 is out of every range
	return n
}

func (c *core) getUserByID(r *request) (int, any, error) {
	var found *user
	err := c.commit(r, func(ctx context.Context, t *task) error {
		var err error
		found, err = t.get(ctx, r.PathValue("id"))
		return err
	})
	return http.StatusOK, found, err
}

// deleteUser deletes an account. A soft deletion leaves only the account's id.
func (c *core) deleteUser(r *request) (int, any, error) {
	var sent struct {
		Soft bool `json:"should_soft_delete"`
	}
	if err := r.decode(&sent); err != nil && !errors.Is(err, problemNoBody) {
		return 0, nil, err
	}
	err := c.commit(r, func(ctx context.Context, t *task) error {
		u, err := t.get(ctx, r.PathValue("id"))
		if err != nil || sent.Soft && u.deletedAt != nil {
			return err
		}
		// A softly deleted account was already reported as deleted.
		if u.deletedAt == nil {
			t.tell("auth_user_deleted", u)
		}
		if sent.Soft {
			return t.deleteSoftly(ctx, u)
		}
		_, err = t.Exec(ctx, "DELETE FROM auth.users WHERE id = $1", u.ID)
		return err
	})
	return http.StatusOK, map[string]any{}, err
}

// deleteSoftly makes an account unusable and removes its personal data. Its address becomes
// free.
func (t *task) deleteSoftly(ctx context.Context, u *user) error {
	if err := t.endMails(ctx, u); err != nil {
		return err
	}
	if err := endSessions(ctx, t, session{user: u}, "global"); err != nil {
		return err
	}
	_, err := t.set(ctx, u.ID, "email = $2, encrypted_password = '', user_metadata = '{}', app_metadata = '{}', "+
		"new_email = '', deleted_at = now()", base64.RawURLEncoding.EncodeToString(hashToken(u.ID+u.Email)))
	return err
}
