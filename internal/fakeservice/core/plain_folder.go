package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckFolder refuses a folder with anything but files and folders in it. Another program
// may have written it: a --state folder or a snapshot. A link would lead this program to
// other files of its user. CheckFolder does not look into the folders for which skip,
// called with their path in the folder, returns true.
func CheckFolder(folder string, skip func(path string) bool) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != ".":
			return nil // it was deleted in the meantime
		case err != nil:
			return err
		case entry.IsDir() && skip(path):
			return fs.SkipDir
		case entry.IsDir(), entry.Type().IsRegular():
			return nil
		}
		return fmt.Errorf("%s is neither a file nor a folder", filepath.Join(folder, path))
	})
}
