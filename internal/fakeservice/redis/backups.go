package redis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// The data folder contains Redis' append-only log: a folder with a list of its files. A
// backup is a snapshot, which can also be the first file of such a log.
const (
	snapshotFile = "dump.rdb"
	logFolder    = "log"
	logName      = "log.aof"
)

// Backup saves the data to a folder while the server runs, and returns the number of bytes
// written.
func (s *Server) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := s.save(ctx, folder); err != nil {
		return 0, errors.Join(fmt.Errorf("back Redis up: %w", err), os.RemoveAll(folder))
	}
	return engineaccount.SizeOf(folder)
}

func (s *Server) save(ctx context.Context, folder string) error {
	admin := s.admin()
	defer admin.Close()
	if err := admin.Save(ctx).Err(); err != nil {
		return err
	}
	snapshot := filepath.Join(s.data(), snapshotFile)
	return errors.Join(
		s.account.MakeFolder(folder),
		s.account.CopyFile(snapshot, filepath.Join(folder, snapshotFile)),
		os.Remove(snapshot),
	)
}

// Restore replaces the data with a backup. The current settings stay.
func (s *Server) Restore(ctx context.Context, folder string) error {
	return s.replaceData(ctx, filepath.Join(folder, snapshotFile))
}

// Reset restores the server's initial state.
func (s *Server) Reset(ctx context.Context) error { return s.replaceData(ctx, "") }

// replaceData starts the server with the data of a snapshot, or without data. If that
// fails, the data is as before.
func (s *Server) replaceData(ctx context.Context, snapshot string) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return datafolder.Replacement{
		Folder: s.data(), Stop: s.stop, Start: s.start,
		Fill: func(context.Context) error { return s.fill(snapshot) },
	}.Do(ctx)
}

// fill creates a data folder with the content of a snapshot, or an empty one.
func (s *Server) fill(snapshot string) error {
	if err := s.account.MakeFolder(s.data()); err != nil || snapshot == "" {
		return err
	}
	log := filepath.Join(s.data(), logFolder)
	base := logName + ".1.base.rdb"
	return errors.Join(
		s.account.MakeFolder(log),
		s.account.CopyFile(snapshot, filepath.Join(log, base)),
		s.account.WriteFile(filepath.Join(log, logName+".manifest"), "file "+base+" seq 1 type b\n"),
	)
}
