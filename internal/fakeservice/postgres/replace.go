package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/regularfile"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// next returns the folder of a copy that will become the data, and that may be incomplete.
// The server runs during the copying.
func (c *Cluster) next() string { return c.path("data.next") }

// recover cleans up after a killed owner, and reports whether the cluster has no data.
func (c *Cluster) recover() (isNew bool, err error) {
	if err := errors.Join(workdir.Sweep(c.folder), workdir.Discard(c.next()), datafolder.Recover(c.data())); err != nil {
		return false, err
	}
	if _, err := os.Lstat(c.data()); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err := c.server.CheckData(c.data()); err != nil {
		return false, err
	}
	// The old server has ended, because otherwise the folder could not be ours to use.
	// Another process may have its process id by now.
	return false, errors.Join(os.RemoveAll(filepath.Join(c.data(), "postmaster.pid")), os.RemoveAll(c.sockets()))
}

// CheckData returns an error unless a folder has data of the version of PostgreSQL that this
// server runs.
func (s *Server) CheckData(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	file, err := regularfile.Open(root, "PG_VERSION")
	if err != nil {
		return err
	}
	defer file.Close()
	version, err := io.ReadAll(io.LimitReader(file, 10))
	if err != nil {
		return err
	}
	if is := strings.TrimSpace(string(version)); is != fmt.Sprint(s.programs.Version) {
		return fmt.Errorf("the data in %s has the version %q, which PostgreSQL %d cannot read", folder, is, s.programs.Version)
	}
	return nil
}

// notCopied reports whether a file of a data folder is left out of a copy: the settings of
// ALTER SYSTEM and the requests to recover from an archive. This package uses neither, and
// both can name programs to run.
func notCopied(path string) bool {
	return slices.Contains([]string{"postgresql.auto.conf", "recovery.signal", "standby.signal", "recovery.conf"}, path)
}

// copyIn makes the copy that will become the data.
func (c *Cluster) copyIn(ctx context.Context, from string) error {
	if err := workdir.Discard(c.next()); err != nil {
		return err
	}
	if err := c.server.account.CopyTree(ctx, from, c.next(), notCopied); err != nil {
		return errors.Join(err, workdir.Discard(c.next()))
	}
	return nil
}

// replaceData starts the server with a copy of another data folder. If that fails, the data
// is as before.
func (c *Cluster) replaceData(ctx context.Context, from string) error {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := c.copyIn(ctx, from); err != nil {
		return err
	}
	return datafolder.Replacement{
		Folder: c.data(), Stop: func() { c.stop(stopFast) }, Start: c.start,
		Fill: func(context.Context) error { return os.Rename(c.next(), c.data()) },
	}.Do(ctx)
}
