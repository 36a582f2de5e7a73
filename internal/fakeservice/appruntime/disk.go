package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// diskEvery is how often the data of an app that runs is measured.
const diskEvery = 5 * time.Second

// checkDisk refuses data that is larger than the disk of the instance's plan.
func (a *App) checkDisk() error {
	limit := a.disk.Load()
	if limit == 0 {
		return nil
	}
	size, err := folderSize(a.data())
	if err == nil && size > limit {
		err = fmt.Errorf("its data has %d MB, and the plan's disk %d MB: resize the instance, or restore a backup", size>>20, limit>>20)
	}
	return err
}

// awaitFullDisk returns once the app's data is larger than the disk, with an error that says
// so, or when ctx ends.
func (a *App) awaitFullDisk(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(diskEvery):
		}
		if err := a.checkDisk(); err != nil {
			return err
		}
	}
}

// folderSize is how many bytes the files in a folder have, holes included. What vanishes
// meanwhile, and what this program may not read, is left out.
func folderSize(folder string) (size int64, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(_ string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return err
	})
	return size, err
}
