package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// deepest is the maximum depth of nested folders in an app's data. Each entry is reached
// through all its parents, so walking deeper folders would take too long.
const deepest = 256

// openData opens a folder of an app's data for walkData.
func openData(folder string) (*os.Root, error) {
	root, err := os.OpenRoot(folder)
	if !errors.Is(err, fs.ErrPermission) {
		return root, err
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(folder)
}

// walkData calls visit for each entry of an app's folder. Entries that vanish during the
// walk are left out. Folders that are too deep are an error.
func walkData(ctx context.Context, root *os.Root, visit func(name string, entry fs.DirEntry) error) error {
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = openToOwner(root, name)
		}
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

// openToOwner lets the owner of a file or a folder read it, because an app can take that
// permission from itself. Root needs none. A program that is not root is the owner.
func openToOwner(root *os.Root, name string) error {
	info, err := root.Lstat(name)
	if err != nil || os.Geteuid() == 0 {
		return err
	}
	var needed fs.FileMode
	switch {
	case info.IsDir():
		needed = 0o500
	case info.Mode().IsRegular():
		needed = 0o400
	}
	if info.Mode()&needed == needed {
		return nil
	}
	return root.Chmod(name, info.Mode()|needed)
}
