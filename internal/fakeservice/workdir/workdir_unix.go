//go:build unix

package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// hold locks a folder of this user, or returns errTaken.
func hold(path string) (*os.File, error) {
	// No link is followed, because other users may write to the parent folder.
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, errors.Join(errTaken, err)
	}
	if !ours(folder) {
		return nil, errors.Join(errForeign, folder.Close())
	}
	if syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil || !same(folder, path) {
		return nil, errors.Join(errTaken, folder.Close())
	}
	return folder, nil
}

func unlock(folder *os.File) error { return syscall.Flock(int(folder.Fd()), syscall.LOCK_UN) }

func ours(folder *os.File) bool {
	info, err := folder.Stat()
	if err != nil {
		return false
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid()
}

// same reports whether an open folder is still at its path.
func same(folder *os.File, path string) bool {
	opened, err := folder.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, there)
}

// sweep removes the folders of owners that have ended.
func sweep(parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // creating the next folder will return the reason
	}
	for _, entry := range entries {
		if matched, err := filepath.Match(prefix+"*", entry.Name()); err != nil || !matched || !entry.IsDir() {
			continue
		}
		path := filepath.Join(parent, entry.Name())
		lock, err := hold(path)
		if err != nil {
			continue
		}
		take(path)
		_ = lock.Close() // it was only opened for reading
	}
}

// take ends the processes in a folder and removes it. An ending process may take a moment
// to release it.
func take(path string) {
	for range 20 {
		endProcessesIn(path)
		if RemoveAll(path) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
