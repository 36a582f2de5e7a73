// Package datafolder puts other data in the place of an engine's, so that at every
// moment the data of before or that of after is whole.
package datafolder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Replacement is what an engine does while its data is replaced.
type Replacement struct {
	// Folder is where the data is.
	Folder string
	// Stop ends the engine, if it runs.
	Stop func()
	// Fill makes the folder anew with the other data.
	Fill func(context.Context) error
	// Start starts the engine with what the folder holds.
	Start func(context.Context) error
}

// patience is how long putting the data of before back may take.
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
	// Where the caller has gone, there is still the data to put back.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	r.Stop()
	return errors.Join(err, Recover(r.Folder), r.Start(back))
}

// Recover takes back a replacement that did not come to its end, as when the fake was
// killed. It is called before the engine starts.
func Recover(folder string) error {
	if err := os.RemoveAll(discarded(folder)); err != nil {
		return err
	}
	if _, err := os.Stat(before(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(os.RemoveAll(folder), os.Rename(before(folder), folder))
}

// discard takes the data of before away. It is not there any more at once, so that what
// is left of it is never taken back.
func discard(folder string) error {
	if err := errors.Join(os.RemoveAll(discarded(folder)), os.Rename(before(folder), discarded(folder))); err != nil {
		return err
	}
	return os.RemoveAll(discarded(folder))
}

// before is where the data lies while it is being replaced, and discarded where that of
// before is on its way out.
func before(folder string) string    { return folder + ".before" }
func discarded(folder string) string { return folder + ".discarded" }
