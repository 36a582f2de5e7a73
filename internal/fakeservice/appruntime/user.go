package appruntime

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
)

// The numbers that are free for users who exist only while something runs, by
// the custom of Linux distributions.
const (
	firstUser  = 61184
	usersThere = 4332
)

// userOf is the user that an app runs as: one of its own if this program may
// choose, so that apps cannot read each other's variables and files, and 0 for
// this program's own user otherwise.
func userOf(name Name, folder string) int {
	if os.Geteuid() != 0 || (!viewsWork() && !reachable(folder)) {
		return 0
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name.Instance + "/" + name.App)) // a hash never fails
	return firstUser + int(sum.Sum32()%usersThere)
}

// reachable tells whether every user can get to a folder.
func reachable(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}

// give makes everything in a folder a user's own, so that an app can write
// where it runs, as it could in a container.
func give(folder string, user int) error {
	if user == 0 {
		return nil
	}
	// A root gives nothing away that a link leads to.
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := root.Lchown(path, user, user); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}
