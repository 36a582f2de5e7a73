package appruntime

import (
	"context"
	"fmt"
	"io/fs"
	"time"
)

// checkDisk returns an error if the files of a build and of its data together exceed the
// disk of the instance's plan.
func (r *run) checkDisk(ctx context.Context) error {
	limit := r.app.disk.Load()
	if limit == 0 {
		return nil
	}
	left := limit
	for _, folder := range []string{r.app.data(), r.build.folder} {
		size, err := folderSize(ctx, folder, left)
		if err != nil {
			return err
		}
		if left -= size; left < 0 {
			return fmt.Errorf("its files have more than the %d MB of the plan's disk: resize the instance, or restore a backup", limit>>20)
		}
	}
	return nil
}

// awaitFullDisk returns an error that says so once the app's files exceed the disk, or
// returns when ctx ends.
func (r *run) awaitFullDisk(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.app.runtime.options.MeasureEvery):
		}
		if err := r.checkDisk(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// folderSize returns the total size in bytes of the files in a folder, holes included, or
// most+1 if it exceeds most. Files that vanish during the walk are left out. Folders that
// are too deep are an error.
func folderSize(ctx context.Context, folder string, most int64) (size int64, err error) {
	root, err := openData(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	err = walkData(ctx, root, func(_ string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if info.Size() > most-size { // the sum of sparse files may overflow
			size = most + 1
			return fs.SkipAll
		}
		size += info.Size()
		return nil
	})
	return size, err
}
