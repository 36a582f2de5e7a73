// Package workdir creates folders that are removed with the program that created them. A
// killed program leaves its folders. They, and the processes that still work in them, are
// removed when the next one is created. Keep opens folders that stay.
//
// A folder belongs to its owner as long as the owner has a lock on it. The kernel releases
// the lock when the owner ends in any way. So the package need not guess from process ids,
// and a folder in use is never removed.
package workdir

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Folder is a folder that belongs to this program.
type Folder struct {
	path string
	// lock is the open folder that carries the lock.
	lock *os.File
	// removing makes Remove do nothing the second time.
	removing sync.Once
}

// Make creates a folder below a parent; "" means the system's folder for temporary files.
// It also removes folders with the same prefix whose owners have ended. A folder that
// cannot be removed stays for the next time. Passable says who else can enter the folder.
func Make(parent, prefix string) (*Folder, error) {
	parent, err := filepath.Abs(cmp.Or(parent, os.TempDir()))
	if err != nil {
		return nil, err
	}
	sweep(parent, prefix)
	for range 10 {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := hold(path)
		if errors.Is(err, errTaken) {
			continue // another program's sweep was faster
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		f := &Folder{path: path, lock: lock}
		held.Store(f, true)
		if err := os.Chmod(path, Passable()); err != nil {
			return nil, errors.Join(err, f.Remove())
		}
		return f, nil
	}
	return nil, fmt.Errorf("every new folder in %s is removed immediately", parent)
}

// Passable returns the permissions of a folder with programs' folders in it. If this
// program is root, its programs run as other users, who can pass through the folder but
// cannot list it. Otherwise nobody else can: an app could leave other users a program that
// runs with the rights of this program's user.
func Passable() fs.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

// Path returns the absolute path.
func (f *Folder) Path() string { return f.path }

// Remove removes the folder with its content.
func (f *Folder) Remove() (err error) {
	f.removing.Do(func() {
		err = errors.Join(RemoveAll(f.path), f.letGo())
	})
	return err
}

// held keeps folders that are otherwise unreferenced from being collected: that would close
// the file and release the lock.
var held sync.Map

// errTaken is returned for a folder that has an owner, or that no longer exists. errForeign
// is its variant for a folder of another user.
var (
	errTaken   = errors.New("the folder is another's")
	errForeign = fmt.Errorf("%w user's", errTaken)
)
