// Package datafolder replaces an engine's data so that at every moment the old or the new
// data is complete.
package datafolder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Replacement is the replacement of an engine's data.
type Replacement struct {
	// Folder is the folder of the data.
	Folder string
	// Stop ends the engine, if it runs.
	Stop func()
	// Fill creates the folder with the new data.
	Fill func(context.Context) error
	// Start starts the engine with the content of the folder.
	Start func(context.Context) error
}

// patience is the time limit for restoring the old data.
const patience = time.Minute

// Do replaces the data. If that fails, the data is as before.
func (r Replacement) Do(ctx context.Context) error {
	r.Stop()
	if err := os.Rename(r.Folder, before(r.Folder)); err != nil {
		return errors.Join(err, r.Start(ctx))
	}
	err := r.Fill(ctx)
	if err == nil {
		err = r.Start(ctx)
	}
	if err == nil {
		return discard(r.Folder)
	}
	// The old data must be restored even if the caller has left.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.Stop()
	return errors.Join(err, Recover(r.Folder), r.Start(back))
}

// Recover reverts an incomplete replacement, for example after the fake was killed. It must
// be called before the engine starts.
func Recover(folder string) error {
	if err := os.RemoveAll(discarded(folder)); err != nil {
		return err
	}
	if _, err := os.Stat(before(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(os.RemoveAll(folder), os.Rename(before(folder), folder))
}

// Exists reports whether a folder exists, or Recover would restore it.
func Exists(folder string) bool {
	for _, path := range []string{folder, before(folder)} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// discard deletes the old data. It first renames the folder, so that a partly deleted
// folder is never restored.
func discard(folder string) error {
	if err := errors.Join(os.RemoveAll(discarded(folder)), os.Rename(before(folder), discarded(folder))); err != nil {
		return err
	}
	return os.RemoveAll(discarded(folder))
}

// before is the path of the old data during a replacement, and discarded its path during
// its deletion.
func before(folder string) string    { return folder + ".before" }
func discarded(folder string) string { return folder + ".discarded" }
