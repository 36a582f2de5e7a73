package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// deepest is how many folders may be in one another in an app's data. Each entry is
// reached through all that it is in, so very deep ones would take for ever.
const deepest = 256

// checkDisk refuses files of a build and of its data that are larger together than the disk
// of the instance's plan.
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

// awaitFullDisk returns once the app's files are larger than the disk, with an error that
// says so, or when ctx ends.
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

// folderSize is how many bytes the files in a folder have, holes included, or most+1 if they
// have more than most. What vanishes meanwhile is left out. Data that is too deep, or that
// this program may not read, is an error.
func folderSize(ctx context.Context, folder string, most int64) (size int64, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	err = walkData(ctx, root, func(_ string, entry fs.DirEntry) error {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if info.Size() > most-size { // the sum of sparse files may be beyond any number
			size = most + 1
			return fs.SkipAll
		}
		size += info.Size()
		return nil
	})
	return size, err
}

// walkData calls visit for what is in a folder of an app. What vanishes meanwhile is left
// out. Folders that are too deep are an error.
func walkData(ctx context.Context, root *os.Root, visit func(name string, entry fs.DirEntry) error) error {
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && strings.Count(name, "/") > deepest:
			return fmt.Errorf("there are more than %d folders in one another", deepest)
		case err == nil && name != ".":
			err = visit(name, entry)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}
