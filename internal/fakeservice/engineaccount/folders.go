package engineaccount

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/regularfile"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// MakeFolder creates a folder that only the account can open.
func (a Account) MakeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return a.give(path)
}

// MakePassable creates a folder that the account can only pass through, to what is in it. A
// folder that the account owned before is taken from it: in its own folders it could replace
// a file that this program writes by a link.
func (a Account) MakePassable(path string) error {
	if err := os.MkdirAll(path, workdir.Passable()); err != nil {
		return err
	}
	if !a.isOther() {
		return nil
	}
	return errors.Join(os.Lchown(path, os.Geteuid(), os.Getegid()), os.Chmod(path, workdir.Passable()))
}

// WriteFile writes a file that only the account can read. It replaces what is at the path,
// and never follows a link that the account has put there.
func (a Account) WriteFile(path, text string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".next-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := a.give(file.Name()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// CopyTree copies the files and folders of a folder that may be in use. The account owns the
// copy. CopyTree leaves out entries that vanish during the copy, entries that skip selects by
// their path in the folder, and links, sockets and pipes. It follows no link inside either
// folder out of it, because the account may have put one there. The folders themselves must
// be where the account cannot replace them.
func (a Account) CopyTree(ctx context.Context, from, to string, skip func(path string) bool) error {
	if err := a.MakeFolder(to); err != nil {
		return err
	}
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	return fs.WalkDir(source.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return ignoreMissing(err)
		case path == ".":
			return nil
		case skip != nil && skip(path):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if err := target.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return a.giveIn(target, path)
		case entry.Type().IsRegular():
			return ignoreMissing(a.copyFile(source, path, target, path))
		}
		return nil
	})
}

// ignoreMissing ignores that an entry has vanished or become something other than a file.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regularfile.ErrOther) {
		return nil
	}
	return err
}

// CopyFile copies a file. The account owns the copy. It follows no link out of the file's
// folder, because the account may have put one there.
func (a Account) CopyFile(from, to string) error {
	source, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer target.Close()
	return a.copyFile(source, filepath.Base(from), target, filepath.Base(to))
}

func (a Account) copyFile(source *os.Root, from string, target *os.Root, to string) (err error) {
	original, err := regularfile.Open(source, from)
	if err != nil {
		return err
	}
	defer original.Close()
	written, err := target.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	_, err = io.Copy(written, original)
	return errors.Join(err, written.Close(), a.giveIn(target, to))
}

// SizeOf returns the total size in bytes of the files in a folder.
func SizeOf(folder string) (int64, error) {
	var size int64
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	})
	return size, err
}
