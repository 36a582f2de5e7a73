// Command guestbook is a guestbook for an instance with Postgres, apps and auth: visitors
// create an account, sign in and leave messages.
//
// The auth engine manages the accounts, and the browser talks to it directly. Messages are
// rows of the table guestbook_entries. The number of visits is a file in the data folder.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "guestbook:", err)
		os.Exit(1)
	}
}

// valueOr returns a variable of the environment, or a default.
func valueOr(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// run serves until ctx ends. It needs no other service before it listens: if the database
// is down, visitors see an apology, and the app still runs.
func run(ctx context.Context) error {
	entries, err := openTable(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer entries.close()
	book := &guestbook{
		entries: entries,
		visits:  &counter{file: filepath.Join(valueOr("DATA_DIR", "/data"), "visits")},
		auth: &authEngine{
			url:     strings.TrimSuffix(os.Getenv("NEXT_PUBLIC_AUTH_URL"), "/"),
			anonKey: os.Getenv("NEXT_PUBLIC_AUTH_ANON_KEY"),
			client:  &http.Client{Timeout: 5 * time.Second},
		},
	}
	server := &http.Server{
		Addr:              net.JoinHostPort("", valueOr("PORT", "3000")),
		Handler:           book.routes(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	served := make(chan error, 1)
	go func() { served <- server.ListenAndServe() }()
	slog.Info("the guestbook listens", "address", server.Addr)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	// Requests in progress are still answered.
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(graceful); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
