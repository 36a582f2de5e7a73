package appruntime

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EraseData empties the app's data folder, while the app does not run.
func (a *App) EraseData() error {
	return a.whileStopped(func() error { return emptyFolder(a.data()) })
}

// SaveData copies the app's data to a folder, while the app runs on. It returns
// how many bytes that took.
func (a *App) SaveData(folder string) (int64, error) { return copyData(a.data(), folder) }

// RestoreData puts the data back to what was saved, while the app does not run.
func (a *App) RestoreData(folder string) error {
	return a.whileStopped(func() error {
		if err := emptyFolder(a.data()); err != nil {
			return err
		}
		if _, err := copyData(folder, a.data()); err != nil {
			return err
		}
		return give(a.data(), a.user)
	})
}

// whileStopped ends the app, does something, and begins it again if it was
// deployed.
func (a *App) whileStopped(do func() error) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.stop()
	err := do()
	if a.build == nil || a.runtime.life.Err() != nil {
		return err
	}
	return errors.Join(err, a.begin())
}

func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, os.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	return errors.Join(errs...)
}

// copyData copies files, folders and links with their rights. What vanishes
// meanwhile is left out.
func copyData(from, to string) (int64, error) {
	var size int64
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && path != from {
			var copied int64
			copied, err = copyEntry(path, filepath.Join(to, path[len(from):]), entry)
			size += copied
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}

func copyEntry(from, to string, entry fs.DirEntry) (int64, error) {
	info, err := entry.Info()
	if err != nil {
		return 0, err
	}
	switch {
	case info.IsDir():
		return 0, os.Mkdir(to, info.Mode().Perm()|0o700)
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return 0, err
		}
		return 0, os.Symlink(target, to)
	case !info.Mode().IsRegular():
		return 0, nil // a socket holds no data
	}
	source, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return 0, err
	}
	size, err := io.Copy(target, source)
	return size, errors.Join(err, target.Close())
}
