package authengine

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// task is the database work of one request, with the events to report afterwards.
type task struct {
	pgx.Tx
	settings *Settings
	told     []Event
}

// tell queues an event. It is reported only after the commit.
func (t *task) tell(kind string, u *user) {
	t.told = append(t.told, Event{Kind: kind, UserID: u.ID, Email: u.Email})
}

// commit runs a task in one transaction and then reports its events.
func (c *core) commit(r *request, do func(context.Context, *task) error) error {
	var done *task
	err := c.accounts.inTransaction(r.Context(), func(tx pgx.Tx) error {
		done = &task{Tx: tx, settings: r.settings} // a new one for each attempt
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
