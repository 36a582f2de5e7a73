package workdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrInUse is returned for a folder that another running program keeps.
var ErrInUse = errors.New("another program uses the folder")

// Keep opens or creates a folder that stays when its owner ends. It belongs to the owner
// until Release or the owner's end; a folder with another owner is ErrInUse. Keep first
// ends the processes that a killed owner has left in the folders named by below, and any
// other process that works there. Passable says who else can enter the folder.
func Keep(path string, below ...string) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, Passable()); err != nil {
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
	if err := errors.Join(os.Chmod(path, Passable()), f.endLeftovers(below)); err != nil {
		return nil, errors.Join(err, f.Release())
	}
	return f, nil
}

// The times that a killed owner may take to release its folder, and its processes to end.
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

// endLeftovers returns when no process works in the folders.
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
	return fmt.Errorf("the processes that the last owner of %s left running do not end", f.path)
}

// Release releases the folder and leaves its content unchanged.
func (f *Folder) Release() (err error) {
	f.removing.Do(func() { err = f.letGo() })
	return err
}

func (f *Folder) letGo() error {
	defer held.Delete(f)
	// A program that is starting has the folder open too, for a moment.
	return errors.Join(unlock(f.lock), f.lock.Close())
}

// discarded is the prefix of the names of folders that are being removed.
const discarded = ".discarded-"

// Discard removes a file or a folder atomically. If the owner is killed in between, the
// item has already lost its name, and Sweep removes the rest. A missing item is not an
// error.
func Discard(path string) error {
	grave, err := os.MkdirTemp(filepath.Dir(path), discarded)
	if errors.Is(err, os.ErrNotExist) {
		return nil // not even the folder exists
	}
	if err != nil {
		return err
	}
	err = os.Rename(path, filepath.Join(grave, "it"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, RemoveAll(grave))
}

// Sweep completes removals in a folder that a killed owner had begun.
func Sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), discarded) {
			err = errors.Join(err, RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	return err
}

// WriteFile writes a file atomically, readable only by its owner. A crash of the machine
// may lose it; the end of the program does not.
func WriteFile(path string, content []byte) error {
	next := path + ".next"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
