// Package scratch makes folders that go with the program that made them. One
// that was killed leaves its folders; they and the processes that still work in
// them are taken away when the next one is made. Keep opens folders that stay.
//
// A folder is its owner's for as long as the owner holds a lock on it, which the
// kernel releases with the owner, however that ends. So no number of a process
// has to be guessed at, and a folder that is in use is never taken away.
package scratch

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Folder is a folder of this program's own.
type Folder struct {
	path string
	// lock is the open folder, which is what is locked.
	lock *os.File
	// removing makes Remove do nothing the second time.
	removing sync.Once
}

// Make makes a folder below a parent, "" being the system's for temporary files,
// and sweeps what owners that are gone have left there under the same prefix.
// What cannot be swept stays for the next time. Others may pass through the
// folder and cannot list it.
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
			continue // another one's sweep was here first
		}
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		f := &Folder{path: path, lock: lock}
		held.Store(f, true)
		if err := os.Chmod(path, 0o711); err != nil {
			return nil, errors.Join(err, f.Remove())
		}
		return f, nil
	}
	return nil, fmt.Errorf("every new folder in %s is taken away at once", parent)
}

// Path is absolute.
func (f *Folder) Path() string { return f.path }

// Remove takes the folder away with all that is in it.
func (f *Folder) Remove() (err error) {
	f.removing.Do(func() {
		err = errors.Join(os.RemoveAll(f.path), f.letGo())
	})
	return err
}

// held keeps the folders that nobody else refers to any more: a file that is
// collected is closed, and the lock with it.
var held sync.Map

// errTaken is a folder that somebody holds, or that is gone. errForeign is one of
// another user's, which is taken too.
var (
	errTaken   = errors.New("the folder is another's")
	errForeign = fmt.Errorf("%w user's", errTaken)
)
