package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// messageMax is the maximum number of characters of a message. The table has the same rule.
const messageMax = 500

// entry is a message in the guestbook.
type entry struct {
	ID      int64     `json:"id"`
	Author  string    `json:"author"`
	Message string    `json:"message"`
	At      time.Time `json:"created_at"`
}

// Initial returns the letter that is shown next to a message.
func (e entry) Initial() string {
	for _, letter := range e.Author {
		return string(letter)
	}
	return "?"
}

// tidy returns a message in the form that is stored, or tells the visitor what is wrong
// with it.
func tidy(message string) (kept, wrong string) {
	message = strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n"))
	switch n := utf8.RuneCountInString(message); {
	case n == 0:
		return "", "Write a message first."
	case n > messageMax:
		return "", fmt.Sprintf("The message has %d characters. It may have up to %d.", n, messageMax)
	case strings.ContainsRune(message, 0):
		return "", "The message has a character that cannot be kept."
	}
	return message, ""
}

// table is guestbook_entries in the instance's Postgres.
type table struct{ pool *pgxpool.Pool }

// openTable prepares the table, but does not connect yet.
func openTable(databaseURL string) (*table, error) {
	if databaseURL == "" {
		return nil, errors.New("DATABASE_URL is not set; the apps engine sets it on an instance with Postgres")
	}
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		// The parser's own error could show the password.
		return nil, errors.New("DATABASE_URL cannot be used; its form, or the file of sslrootcert, is wrong")
	}
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &table{pool}, nil
}

func (t *table) close() { t.pool.Close() }

// patience is the time that a page waits for a database that is restarting.
const patience = 4 * time.Second

// latest returns the newest messages.
func (t *table) latest(ctx context.Context, limit int) ([]entry, error) {
	var found []entry
	err := persist(ctx, func() error {
		rows, err := t.pool.Query(ctx, "SELECT id, email, message, created_at FROM guestbook_entries ORDER BY id DESC LIMIT $1", limit)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (entry, error) {
			var e entry
			var who visitor
			err := row.Scan(&e.ID, &who.Email, &e.Message, &e.At)
			e.Author = who.name()
			return e, err
		})
		return err
	}, func(error) bool { return true })
	return found, err
}

// add stores a message.
func (t *table) add(ctx context.Context, who visitor, message string) (entry, error) {
	added := entry{Author: who.name(), Message: message}
	// A statement that may have reached the database is not repeated: it could store the
	// message twice.
	err := persist(ctx, func() error {
		return t.pool.QueryRow(ctx, "INSERT INTO guestbook_entries (user_id, email, message) VALUES ($1, $2, $3) RETURNING id, created_at",
			who.ID, who.Email, message).Scan(&added.ID, &added.At)
	}, neverArrived)
	return added, err
}

// neverArrived reports whether a statement certainly was not executed.
func neverArrived(err error) bool {
	refused := (*pgconn.ConnectError)(nil)
	return pgconn.SafeToRetry(err) || errors.As(err, &refused)
}

// persist repeats an operation for a while, as long as the database does not answer and a
// repetition is safe.
func persist(ctx context.Context, do func() error, mayRepeat func(error) bool) error {
	give := time.Now().Add(patience)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := do()
		if err == nil || answered(err) || !mayRepeat(err) || time.Now().Add(pause).After(give) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// answered reports whether an error is the database's answer to a statement, as opposed to
// an error about its own state.
func answered(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && !strings.HasPrefix(said.Code, "57P")
}

// isMissingTable reports whether the table does not exist yet.
func isMissingTable(err error) bool {
	said := (*pgconn.PgError)(nil)
	return errors.As(err, &said) && said.Code == "42P01"
}
