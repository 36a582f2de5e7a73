package authengine

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// task is what one request does in the database, and what is to be told of it.
type task struct {
	pgx.Tx
	settings *Settings
	told     []Event
}

// tell notes what happened. Nobody learns of it before it is committed.
func (t *task) tell(kind string, u *user) {
	t.told = append(t.told, Event{Kind: kind, UserID: u.ID, Email: u.Email})
}

// commit does a task, all of it or nothing, and then tells of it.
func (c *core) commit(r *request, do func(context.Context, *task) error) error {
	var done *task
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		done = &task{Tx: tx, settings: r.settings} // anew each time that it is tried
		return do(r.Context(), done)
	})
	if err != nil {
		return err
	}
	for _, event := range done.told {
		c.engine.options.Notify(event)
	}
	return nil
}
