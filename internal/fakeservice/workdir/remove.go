package workdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveAll removes a file or folder, like os.RemoveAll, but also if other people's programs
// have made folders in it read-only, as Go does with modules.
func RemoveAll(path string) error {
	parent, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return RemoveIn(parent, filepath.Base(path))
}

// RemoveIn is like RemoveAll for a name below a root.
func RemoveIn(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// The folder's own permissions count when WalkDir lists it, which is after this call.
	err = fs.WalkDir(root.FS(), filepath.ToSlash(name), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return root.Chmod(path, 0o700)
	})
	return errors.Join(err, root.RemoveAll(name))
}
