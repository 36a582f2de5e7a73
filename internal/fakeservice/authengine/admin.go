package authengine

import (
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// usersPerPage is how many accounts a page has unless the caller asks for
// another number, and usersPerPageMax is the highest.
const (
	usersPerPage    = 50
	usersPerPageMax = 1000
)

// listUsers is for whoever holds the service key: every account, page by page.
func (c *core) listUsers(r *request) (int, any, error) {
	page, perPage := numberOr(r, "page", 1), numberOr(r, "per_page", usersPerPage)
	if page < 1 || perPage < 1 || perPage > usersPerPageMax {
		return 0, nil, &problem{http.StatusBadRequest, "validation_failed", "page begins at 1, and per_page is from 1 to 1000."}
	}
	users, total := []*user{}, 0
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		if err := tx.QueryRow(r.Context(), "SELECT count(*) FROM auth.users").Scan(&total); err != nil {
			return err
		}
		rows, err := tx.Query(r.Context(), "SELECT "+userColumns+" FROM auth.users AS u ORDER BY created_at, id LIMIT $1 OFFSET $2",
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
	return http.StatusOK, map[string]any{"users": users, "aud": "authenticated", "total": total}, err
}

// numberOr is a number of the query; what is none is 0.
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
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		var err error
		// The id is compared as text, since any text may be asked for.
		found, err = scanUser(tx.QueryRow(r.Context(), "SELECT "+userColumns+" FROM auth.users AS u WHERE id::text = $1", r.PathValue("id")))
		return orNoUser(err)
	})
	return http.StatusOK, found, err
}

func (c *core) deleteUser(r *request) (int, any, error) {
	var gone *user
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		var err error
		gone, err = scanUser(tx.QueryRow(r.Context(), "DELETE FROM auth.users AS u WHERE id::text = $1 RETURNING "+userColumns, r.PathValue("id")))
		return orNoUser(err)
	})
	if err != nil {
		return 0, nil, err
	}
	c.engine.options.Notify(Event{Kind: "auth_user_deleted", UserID: gone.ID, Email: gone.Email})
	return http.StatusOK, gone, nil
}
