package couchdb

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// Backup copies the data to a folder and returns the number of bytes written. The server is
// stopped during the copy, because its files belong together. Requests wait; feeds end.
func (s *Server) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	s.stop()
	err = s.account.CopyTree(ctx, s.data(), folder, nil)
	// The server must run again even if the caller has left.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err = errors.Join(err, s.start(back)); err != nil {
		return 0, errors.Join(fmt.Errorf("back CouchDB up: %w", err), os.RemoveAll(folder))
	}
	return engineaccount.SizeOf(folder)
}

// Restore replaces the data with a backup. The current settings stay.
func (s *Server) Restore(ctx context.Context, folder string) error {
	return s.replaceData(ctx, func(ctx context.Context) error {
		if _, err := os.Stat(folder); err != nil {
			return err
		}
		return s.account.CopyTree(ctx, folder, s.data(), nil)
	})
}

// Reset restores the server's initial state.
func (s *Server) Reset(ctx context.Context) error {
	return s.replaceData(ctx, func(context.Context) error { return s.account.MakeFolder(s.data()) })
}

// replaceData starts the server with the data that fill makes. If that fails, the data is as
// before.
func (s *Server) replaceData(ctx context.Context, fill func(context.Context) error) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return datafolder.Replacement{Folder: s.data(), Stop: s.stop, Start: s.start, Fill: fill}.Do(ctx)
}
