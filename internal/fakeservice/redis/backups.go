package redis

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/unprivileged"
)

// The data folder holds Redis' append-only log: a folder with a list of its files. A
// backup is a snapshot, which is also what such a log can begin with.
const (
	snapshotFile = "dump.rdb"
	logFolder    = "log"
	logName      = "log.aof"
)

// Backup saves the data to a folder while the server runs, and returns how many bytes
// that took.
func (s *Server) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	if err := s.save(ctx, folder); err != nil {
		return 0, errors.Join(fmt.Errorf("back Redis up: %w", err), os.RemoveAll(folder))
	}
	return unprivileged.SizeOf(folder)
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

// Restore puts the data back to a backup. The settings stay those of now.
func (s *Server) Restore(ctx context.Context, folder string) error {
	return s.replaceData(ctx, filepath.Join(folder, snapshotFile))
}

// Reset makes the server what it was when it was new.
func (s *Server) Reset(ctx context.Context) error { return s.replaceData(ctx, "") }

// replaceData starts the server with the data of a snapshot, or with none. If that
// fails, the data is as before.
func (s *Server) replaceData(ctx context.Context, snapshot string) error {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.stop()
	if err := os.Rename(s.data(), s.before()); err != nil {
		return errors.Join(err, s.start(ctx))
	}
	err = s.fill(snapshot)
	if err == nil {
		err = s.start(ctx)
	}
	if err == nil {
		return os.RemoveAll(s.before())
	}
	// Where the caller has gone, there is still the data to put back.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	s.stop()
	return errors.Join(err, s.undoReplacement(), s.start(back))
}

// fill makes a data folder with what is in a snapshot, or with nothing.
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

// before is where the data lies while it is being replaced.
func (s *Server) before() string { return s.path("data.before") }

// undoReplacement takes back a replacement that did not come to its end, as when the
// fake was killed.
func (s *Server) undoReplacement() error {
	if _, err := os.Stat(s.before()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(os.RemoveAll(s.data()), os.Rename(s.before(), s.data()))
}
