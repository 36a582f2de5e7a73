package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrInUse is a folder that another program that lives keeps.
var ErrInUse = errors.New("another program uses the folder")

// Keep opens a folder that stays when its owner ends, or makes it. It is the
// owner's until Release or the owner's end; one that is another's is ErrInUse.
// What a killed owner has left running in the folders below, of which the names
// are given, is ended first, whoever else works there too. Others may pass
// through the folder and cannot list it.
func Keep(path string, below ...string) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o711); err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	lock, err := holdPatiently(path)
	if err != nil {
		return nil, err
	}
	f := &Folder{path: path, lock: lock}
	held.Store(f, true)
	if err := errors.Join(os.Chmod(path, 0o711), f.endLeftovers(below)); err != nil {
		return nil, errors.Join(err, f.Release())
	}
	return f, nil
}

// Times that an owner which was just killed may take to let go of its folder, and
// what it has started to end.
const (
	holdTries  = 20
	endTries   = 400
	betweenTry = 50 * time.Millisecond
)

func holdPatiently(path string) (lock *os.File, err error) {
	for range holdTries {
		if lock, err = hold(path); !errors.Is(err, errTaken) {
			return lock, err
		}
		if errors.Is(err, errForeign) {
			return nil, fmt.Errorf("the folder %s belongs to another user", path)
		}
		time.Sleep(betweenTry)
	}
	return nil, fmt.Errorf("%w %s", ErrInUse, path)
}

// endLeftovers returns when nothing runs in the folders any more.
func (f *Folder) endLeftovers(below []string) error {
	for range endTries {
		found := 0
		for _, name := range below {
			found += endProcessesIn(filepath.Join(f.path, name))
		}
		if found == 0 {
			return nil
		}
		time.Sleep(betweenTry)
	}
	return fmt.Errorf("what the last owner of %s has left running there does not end", f.path)
}

// Release lets go of the folder and leaves it as it is.
func (f *Folder) Release() (err error) {
	f.removing.Do(func() { err = f.letGo() })
	return err
}

func (f *Folder) letGo() error {
	defer held.Delete(f)
	// A program that is being started has the open folder too, for a moment.
	return errors.Join(unlock(f.lock), f.lock.Close())
}

// discarded is how the names begin of what is being removed.
const discarded = ".discarded-"

// Discard removes a file or a folder, all of it or nothing: what is removed when
// the owner is killed has lost its name, and Sweep removes the rest. What is not
// there is removed already.
func Discard(path string) error {
	grave, err := os.MkdirTemp(filepath.Dir(path), discarded)
	if errors.Is(err, os.ErrNotExist) {
		return nil // not even the folder is there
	}
	if err != nil {
		return err
	}
	err = os.Rename(path, filepath.Join(grave, "it"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(grave))
}

// Sweep removes what an owner was killed discarding in a folder.
func Sweep(folder string) error {
	found, err := filepath.Glob(filepath.Join(folder, discarded+"*"))
	for _, path := range found {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// WriteFile writes a file, all of it or nothing, that only its owner reads. A
// crash of the machine may lose it; a killed program loses nothing.
func WriteFile(path string, content []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
